/* portal/second-factor/totp.c - see totp.h. */
#include "portal/second-factor/totp.h"

#include <assert.h>
#include <inttypes.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <sodium.h>
#include <stdio.h>
#include <string.h>

#include "base/ascii.h"
#include "base/codec/percent.h"

enum { SHA1_BYTES = 20, MODULUS = 1000000, SKEW_STEPS = 1 };

/* RFC 4226 section 5.3: dynamic truncation. */
void totp_code(const uint8_t secret[static TOTP_SECRET_BYTES], int64_t step,
               char code[static TOTP_DIGITS + 1])
{
    uint8_t counter[8], mac[SHA1_BYTES];
    unsigned size = sizeof(mac);
    for (size_t i = 0; i < sizeof(counter); i++)
        counter[i] = (uint8_t)((uint64_t)step >> (8 * (sizeof(counter) - 1 - i)));
    const uint8_t *made =
        HMAC(EVP_sha1(), secret, TOTP_SECRET_BYTES, counter, sizeof(counter), mac, &size);
    assert(made);
    const uint8_t *at = mac + (mac[SHA1_BYTES - 1] & 0xf);
    uint32_t number = (uint32_t)(at[0] & 0x7f) << 24 | (uint32_t)at[1] << 16 |
                      (uint32_t)at[2] << 8 | (uint32_t)at[3];
    snprintf(code, TOTP_DIGITS + 1, "%06" PRIu32, number % MODULUS);
}

/* Six digits, with any spaces between them. False: anything else. */
static bool read_digits(const char *code, char digits[static TOTP_DIGITS + 1])
{
    size_t count = 0;
    for (; *code; code++) {
        if (ascii_is_space((unsigned char)*code))
            continue;
        if (!ascii_is_digit((unsigned char)*code) || count == TOTP_DIGITS)
            return false;
        digits[count++] = *code;
    }
    digits[count] = '\0';
    return count == TOTP_DIGITS;
}

bool totp_fits(const uint8_t secret[static TOTP_SECRET_BYTES], const char *code, int64_t now_ms,
               int64_t used_step, int64_t *step)
{
    char typed[TOTP_DIGITS + 1], wanted[TOTP_DIGITS + 1];
    int64_t now_step = now_ms / TOTP_STEP_MS;
    bool fits = false;
    if (!read_digits(code, typed))
        return false;
    for (int64_t at = now_step - SKEW_STEPS; at <= now_step + SKEW_STEPS; at++) {
        totp_code(secret, at, wanted);
        if (sodium_memcmp(typed, wanted, TOTP_DIGITS) == 0 && at > used_step && !fits) {
            *step = at;
            fits = true;
        }
    }
    sodium_memzero(wanted, sizeof(wanted));
    return fits;
}

/* 160 bits are exactly 32 digits of 5 bits. */
void totp_base32(const uint8_t secret[static TOTP_SECRET_BYTES],
                 char text[static TOTP_BASE32_BYTES])
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
    for (size_t i = 0; i < TOTP_BASE32_BYTES - 1; i++) {
        size_t bit = 5 * i;
        unsigned pair = (unsigned)secret[bit / 8] << 8;
        if (bit / 8 + 1 < TOTP_SECRET_BYTES)
            pair |= secret[bit / 8 + 1];
        text[i] = digits[pair >> (11 - bit % 8) & 31];
    }
    text[TOTP_BASE32_BYTES - 1] = '\0';
}

/* github.com/google/google-authenticator/wiki/Key-Uri-Format */
void totp_url(const uint8_t secret[static TOTP_SECRET_BYTES], const char *email, struct buf *url)
{
    char base32[TOTP_BASE32_BYTES];
    totp_base32(secret, base32);
    buf_add_str(url, "otpauth://totp/Tollgate:");
    percent_encode(text_of(email), "-._~", url);
    buf_format(url, "?secret=%s&issuer=Tollgate", base32);
    sodium_memzero(base32, sizeof(base32));
}
