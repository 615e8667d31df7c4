/*
 * portal/second-factor/totp.h - codes of authenticator apps: RFC 6238 with SHA-1, 30 seconds and 6
 * digits, which all apps support.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"

enum {
    TOTP_SECRET_BYTES = 20, /* RFC 4226 section 4, R6 */
    TOTP_STEP_MS = 30000,
    TOTP_DIGITS = 6,
    TOTP_BASE32_BYTES = 33, /* the secret in base32 (RFC 4648 section 6), and a NUL */
};

/* The code of a time step (30 s, counted from 1970), as digits. */
void totp_code(const uint8_t secret[static TOTP_SECRET_BYTES], int64_t step,
               char code[static TOTP_DIGITS + 1]);

/*
 * Is it the code of the current time step, the one before or the one after (clocks differ), and
 * newer than used_step? *step is its time step, which must not be used again. Spaces in the code
 * are ignored.
 */
bool totp_fits(const uint8_t secret[static TOTP_SECRET_BYTES], const char *code, int64_t now_ms,
               int64_t used_step, int64_t *step);

/* The secret for typing, and for apps that scan it: an otpauth URL, which names the account and
 * "Tollgate". */
void totp_base32(const uint8_t secret[static TOTP_SECRET_BYTES],
                 char text[static TOTP_BASE32_BYTES]);
void totp_url(const uint8_t secret[static TOTP_SECRET_BYTES], const char *email, struct buf *url);
