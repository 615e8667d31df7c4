/*
 * portal/confirm.h - confirms that the member still uses the session.
 *
 * - Creating tokens needs the password (and the code, with two-factor sign-in) within the last 30
 *   minutes. Signing in counts. After that, the form has fields for them.
 * - Changing the email address or two-factor sign-in, and deleting the account, need them each
 *   time: a person with a stolen session must not be able to take over the account.
 */
#pragma once

#include "portal/page/visit.h"

/*
 * Does this POST have the required password and code? If they are correct, the session is
 * confirmed. Otherwise the errors are in the visit, and *status is 400 (missing), 403 (wrong), 429
 * or 503.
 */
bool confirm_check(struct visit *visit, int *status);

/* A page that asks for the password, with all fields of the form as hidden fields. For forms whose
 * page cannot be shown again. */
void confirm_page(struct visit *visit);
