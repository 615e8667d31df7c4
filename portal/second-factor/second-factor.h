/*
 * portal/second-factor/second-factor.h - a member's second factor in the database: the secret of
 * his authenticator app, sealed, and the MACs of his recovery codes.
 *
 * Each function is a statement or some within the transaction under way, of which the caller makes
 * the audit and mail a part.
 */
#ifndef PORTAL_SECOND_FACTOR_H
#define PORTAL_SECOND_FACTOR_H

#include "db/sql.h"
#include "portal/second-factor/recovery.h"
#include "portal/second-factor/totp.h"
#include "portal/secret.h"

/*
 * Does this code, of the app or a recovery code, let the member in? It does so once: committed, it
 * is used up, whichever portal is asked, and a step of the app's with all steps before it.
 * A member without a second factor has no code. Errors: the database's.
 */
bool second_factor_take(struct sql *sql, struct secrets *secrets, const char *member_id,
                        const char *code, bool *is_right, struct err *err) must_check;

/* Turn it on; the code that was shown to know the secret was of this step. */
bool second_factor_on(struct sql *sql, struct secrets *secrets, const char *member_id,
                      const uint8_t secret[static TOTP_SECRET_BYTES], int64_t step,
                      struct err *err) must_check;

/* Turn it off, with its recovery codes. */
bool second_factor_off(struct sql *sql, const char *member_id, struct err *err) must_check;

/* Give the member new recovery codes instead of those he has. Show them once, and wipe them. */
bool second_factor_codes(struct sql *sql, struct secrets *secrets, const char *member_id,
                         char code[static RECOVERY_CODES][RECOVERY_TEXT_BYTES],
                         struct err *err) must_check;

#endif
