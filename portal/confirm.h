/*
 * portal/confirm.h - is it still the member who uses this session? What makes tokens wants
 * the password, and the code with two-factor, within 30 minutes (signing in counts); later the form
 * has fields for them. A change of address, of two-factor, and a deletion want them each time:
 * somebody who borrowed a session must not be able to keep the account.
 */
#pragma once

#include "portal/page/visit.h"

/*
 * Does this POST hold what is due? Sets the session as confirmed when it is right. Otherwise that
 * is refused in the visit and *status says how: 400 when it is missing, 403 when it is wrong, 429,
 * 503.
 */
bool confirm_check(struct visit *visit, int *status);

/* A page that asks for the password once more, and holds all that was typed before: for forms whose
 * own page cannot be shown again. */
void confirm_page(struct visit *visit);
