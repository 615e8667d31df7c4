/* common/text/token.c - creates and parses bearer tokens. */
#include "text/token.h"

#include <ctype.h>
#include <sodium.h>
#include <string.h>
#include <strings.h>
#include <zlib.h>

#include "base/os/log.h"

static const char prefix[] = LOG_TOKEN_PREFIX;
static const char management_prefix[] = LOG_MANAGEMENT_PREFIX; /* as long */
static const char base62[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

enum {
    PREFIX_BYTES = sizeof(prefix) - 1,
    ACCOUNT_BYTES = 22, /* 62^22 > 2^128 */
    RANDOM_BYTES = 32,
    CHECK_BYTES = 6,
};

/* size: of the token without its check characters. */
static void add_check(char *token, size_t size)
{
    unsigned long sum = crc32(0, (const Bytef *)token, (uInt)size);
    for (size_t i = CHECK_BYTES; i-- > 0; sum /= 62)
        token[size + i] = base62[sum % 62];
    token[size + CHECK_BYTES] = '\0';
}

static void invent(const char *begin, char token[static TOKEN_BYTES])
{
    memcpy(token, begin, PREFIX_BYTES);
    for (size_t i = 0; i < RANDOM_BYTES; i++)
        token[PREFIX_BYTES + i] = base62[randombytes_uniform(62)];
    add_check(token, PREFIX_BYTES + RANDOM_BYTES);
}

void token_new(char token[static TOKEN_BYTES])
{
    invent(prefix, token);
}

void token_new_management(char token[static TOKEN_BYTES])
{
    invent(management_prefix, token);
}

/* Divide a number, most significant byte first, by 62; returns the remainder. */
static unsigned divide_by_62(uint8_t *number, size_t size)
{
    unsigned rest = 0;
    for (size_t i = 0; i < size; i++) {
        unsigned part = rest << 8 | number[i];
        number[i] = (uint8_t)(part / 62);
        rest = part % 62;
    }
    return rest;
}

/* 256 bits are far more than the 190 of 32 digits, so every digit is equally likely. */
static void add_seed(const uint8_t seed[static TOKEN_SEED_BYTES], char *out)
{
    uint8_t number[TOKEN_SEED_BYTES];
    memcpy(number, seed, sizeof(number));
    for (size_t i = 0; i < RANDOM_BYTES; i++)
        out[i] = base62[divide_by_62(number, sizeof(number))];
    sodium_memzero(number, sizeof(number));
}

void token_of_seed(const uint8_t seed[static TOKEN_SEED_BYTES], char token[static TOKEN_BYTES])
{
    memcpy(token, prefix, PREFIX_BYTES);
    add_seed(seed, token + PREFIX_BYTES);
    add_check(token, PREFIX_BYTES + RANDOM_BYTES);
}

/* ---- tokens of apps ---- */

void token_of_app(const struct uuid *account, const uint8_t seed[static TOKEN_SEED_BYTES],
                  char token[static TOKEN_APP_BYTES])
{
    struct uuid number = *account;
    memcpy(token, prefix, PREFIX_BYTES);
    for (size_t i = 0; i < ACCOUNT_BYTES; i++)
        token[PREFIX_BYTES + i] = base62[divide_by_62(number.bytes, sizeof(number.bytes))];
    add_seed(seed, token + PREFIX_BYTES + ACCOUNT_BYTES);
    add_check(token, PREFIX_BYTES + ACCOUNT_BYTES + RANDOM_BYTES);
}

/* The value of a digit that is known to be a letter or a digit of ASCII. */
static unsigned digit_value(char digit)
{
    return digit <= '9'   ? (unsigned)(digit - '0')
           : digit <= 'Z' ? (unsigned)(digit - 'A') + 10
                          : (unsigned)(digit - 'a') + 36;
}

/* The account of digits that token_of_app() wrote. False: the number is above 2^128. */
static bool read_account(const char *digits, struct uuid *account)
{
    unsigned __int128 number = 0;
    for (size_t i = ACCOUNT_BYTES; i-- > 0;)
        if (__builtin_mul_overflow(number, 62, &number) ||
            __builtin_add_overflow(number, digit_value(digits[i]), &number))
            return false;
    for (size_t at = sizeof(account->bytes); at-- > 0; number >>= 8)
        account->bytes[at] = (uint8_t)number;
    return true;
}

/* ---- reading ---- */

/* bytes: of a token of its form, with its NUL. */
static bool is_token(const char *text, const char *begin, size_t bytes)
{
    char expected[TOKEN_APP_BYTES];
    if (strlen(text) != bytes - 1 || strncmp(text, begin, PREFIX_BYTES) != 0)
        return false;
    for (const char *at = text + PREFIX_BYTES; *at; at++)
        if (!isalnum((unsigned char)*at))
            return false;
    memcpy(expected, text, bytes);
    add_check(expected, bytes - 1 - CHECK_BYTES);
    return memcmp(expected, text, bytes) == 0;
}

void token_digest(const char *token, uint8_t digest[static TOKEN_DIGEST_BYTES])
{
    crypto_hash_sha256(digest, (const uint8_t *)token, strlen(token));
}

/* RFC 6750 section 2.1: the scheme in any case, blanks, the token. NULL: see the error. */
static const char *find_bearer(const char *authorization, struct err *err)
{
    if (!authorization || *authorization == '\0') {
        err_set(err, ERR_AUTH_MISSING,
                "the header Authorization: Bearer <ACCESS_TOKEN> is missing");
        return NULL;
    }
    if (strncasecmp(authorization, "Bearer ", 7) != 0) {
        err_set(err, ERR_AUTH_MALFORMED, "the header Authorization must be: Bearer <ACCESS_TOKEN>");
        return NULL;
    }
    return authorization + 7 + strspn(authorization + 7, " ");
}

bool token_of_bearer(const char *authorization, uint8_t digest[static TOKEN_DIGEST_BYTES],
                     bool *is_management, struct err *err)
{
    const char *token = find_bearer(authorization, err);
    if (!token)
        return false;
    if (is_token(token, prefix, TOKEN_APP_BYTES))
        return err_set(err, ERR_AUTH_INVALID,
                       "this is the token of a connected app, which is valid only at /mcp; use an "
                       "API token here");
    *is_management = is_token(token, management_prefix, TOKEN_BYTES);
    if (!*is_management && !is_token(token, prefix, TOKEN_BYTES))
        return err_set(
            err, ERR_AUTH_MALFORMED,
            "the bearer token is malformed: it must be tg_live_ and 38 letters and digits, "
            "of which the last 6 are a checksum");
    token_digest(token, digest);
    return true;
}

bool token_of_bearer_app(const char *authorization, struct uuid *account,
                         uint8_t digest[static TOKEN_DIGEST_BYTES], struct err *err)
{
    const char *token = find_bearer(authorization, err);
    if (!token)
        return false;
    if (is_token(token, prefix, TOKEN_BYTES) || is_token(token, management_prefix, TOKEN_BYTES))
        return err_set(err, ERR_AUTH_INVALID,
                       "API tokens are valid at /v1/client/{account}/mcp, not at /mcp; connect "
                       "the app without a token");
    if (!is_token(token, prefix, TOKEN_APP_BYTES) || !read_account(token + PREFIX_BYTES, account))
        return err_set(err, ERR_AUTH_MALFORMED,
                       "the bearer token is malformed: it must be the access token of a connected "
                       "app, tg_live_ and 60 letters and digits");
    token_digest(token, digest);
    return true;
}
