/*
 * portal/second-factor/second-factor.h - a member's second factor in the database: the secret of
 * an authenticator app, sealed, and the MACs of recovery codes.
 *
 * Each function is a statement or some within the transaction under way, of which the caller makes
 * the audit and mail a part.
 */
#pragma once

#include "db/sql.h"
#include "portal/base/secret.h"
#include "portal/second-factor/recovery.h"
#include "portal/second-factor/totp.h"
#include "portal/session/session.h"

/*
 * Does this code, of the app or a recovery code, let the member in? It does so once: committed, it
 * is used up, whichever portal is asked, and a step of the app's with all steps before it.
 * A member without a second factor has no code. Errors: the database's.
 */
bool second_factor_take(struct sql *sql, struct secrets *secrets, const char *member_id,
                        const char *code, bool *is_right, struct err *err) must_check;

/*
 * Turn it on in a session; the code that was shown to know the secret was of this step. undo_id:
 * the id of a link, to be mailed, that undoes it (LINK_UNDO). *is_done is false, and nothing has
 * changed, when it is on already or the session has ended. Errors: the database's.
 */
bool second_factor_on(struct sql *sql, struct secrets *secrets, const char *session_id,
                      const uint8_t secret[static TOTP_SECRET_BYTES], int64_t step,
                      const char *undo_id, bool *is_done, struct err *err) must_check;

/*
 * Replace the recovery codes of a session's member. Show the new ones once, and wipe them.
 * *is_done is false, and nothing has changed, when the member has no second factor or the session
 * has ended. Errors: the database's.
 */
bool second_factor_codes(struct sql *sql, struct secrets *secrets,
                         const struct member_session *session,
                         char code[static RECOVERY_CODES][RECOVERY_TEXT_BYTES], bool *is_done,
                         struct err *err) must_check;
