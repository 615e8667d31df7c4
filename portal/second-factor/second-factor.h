/*
 * portal/second-factor/second-factor.h - a member's second factor in the database: the encrypted
 * secret of an authenticator app, and the MACs of recovery codes.
 *
 * The functions run in the current transaction, to which the caller adds the audit entry and the
 * email.
 */
#pragma once

#include "db/sql.h"
#include "portal/base/secret.h"
#include "portal/second-factor/recovery.h"
#include "portal/second-factor/totp.h"
#include "portal/session/session.h"

/*
 * Is this code, from the app or a recovery code, valid? It is valid once: when the transaction
 * commits, no portal accepts it again, nor a code of an earlier time step. For a member without a
 * second factor it is not valid. Errors: the database's.
 */
bool second_factor_take(struct sql *sql, struct secrets *secrets, const char *member_id,
                        const char *code, bool *is_right, struct err *err) must_check;

/*
 * Turn it on for the session's member. step: the time step of the code that proved the secret.
 * undo_id: the id of the emailed link that undoes it (LINK_UNDO). *is_done false: it was on
 * already, or the session has expired; nothing changed. Errors: the database's.
 */
bool second_factor_on(struct sql *sql, struct secrets *secrets, const char *session_id,
                      const uint8_t secret[static TOTP_SECRET_BYTES], int64_t step,
                      const char *undo_id, bool *is_done, struct err *err) must_check;

/*
 * Replace the recovery codes of the session's member. Show the new ones once, then wipe them.
 * *is_done false: the member has no second factor, or the session has expired; nothing changed.
 * Errors: the database's.
 */
bool second_factor_codes(struct sql *sql, struct secrets *secrets,
                         const struct member_session *session,
                         char code[static RECOVERY_CODES][RECOVERY_TEXT_BYTES], bool *is_done,
                         struct err *err) must_check;
