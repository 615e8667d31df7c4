/* common/text/token.c - creates and parses bearer tokens. */
#include "text/token.h"

#include <ctype.h>
#include <sodium.h>
#include <string.h>
#include <strings.h>
#include <zlib.h>

#include "base/os/log.h"

static const char prefix[] = LOG_TOKEN_PREFIX;
static const char base62[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

enum { PREFIX_BYTES = sizeof(prefix) - 1, RANDOM_BYTES = 32, CHECK_BYTES = 6 };

static void add_check(char *token)
{
    size_t size = PREFIX_BYTES + RANDOM_BYTES;
    unsigned long sum = crc32(0, (const Bytef *)token, (uInt)size);
    for (size_t i = CHECK_BYTES; i-- > 0; sum /= 62)
        token[size + i] = base62[sum % 62];
    token[TOKEN_BYTES - 1] = '\0';
}

void token_new(char token[static TOKEN_BYTES])
{
    memcpy(token, prefix, PREFIX_BYTES);
    for (size_t i = 0; i < RANDOM_BYTES; i++)
        token[PREFIX_BYTES + i] = base62[randombytes_uniform(62)];
    add_check(token);
}

/* Divide a number of 32 bytes by 62; returns the remainder. */
static unsigned divide_by_62(uint8_t number[static TOKEN_SEED_BYTES])
{
    unsigned rest = 0;
    for (size_t i = 0; i < TOKEN_SEED_BYTES; i++) {
        unsigned part = rest << 8 | number[i];
        number[i] = (uint8_t)(part / 62);
        rest = part % 62;
    }
    return rest;
}

/* 256 bits are far more than the 190 of 32 digits, so every digit is equally likely. */
void token_of_seed(const uint8_t seed[static TOKEN_SEED_BYTES], char token[static TOKEN_BYTES])
{
    uint8_t number[TOKEN_SEED_BYTES];
    memcpy(number, seed, sizeof(number));
    memcpy(token, prefix, PREFIX_BYTES);
    for (size_t i = 0; i < RANDOM_BYTES; i++)
        token[PREFIX_BYTES + i] = base62[divide_by_62(number)];
    add_check(token);
    sodium_memzero(number, sizeof(number));
}

static bool is_token(const char *text)
{
    char expected[TOKEN_BYTES];
    if (strlen(text) != TOKEN_BYTES - 1 || strncmp(text, prefix, PREFIX_BYTES) != 0)
        return false;
    for (const char *at = text + PREFIX_BYTES; *at; at++)
        if (!isalnum((unsigned char)*at))
            return false;
    memcpy(expected, text, TOKEN_BYTES);
    add_check(expected);
    return memcmp(expected, text, TOKEN_BYTES) == 0;
}

void token_digest(const char *token, uint8_t digest[static TOKEN_DIGEST_BYTES])
{
    crypto_hash_sha256(digest, (const uint8_t *)token, strlen(token));
}

/* RFC 6750 section 2.1: the scheme in any case, blanks, the token. */
bool token_of_bearer(const char *authorization, uint8_t digest[static TOKEN_DIGEST_BYTES],
                     struct err *err)
{
    if (!authorization || *authorization == '\0')
        return err_set(err, ERR_AUTH_MISSING,
                       "the header Authorization: Bearer <ACCESS_TOKEN> is missing");
    if (strncasecmp(authorization, "Bearer ", 7) != 0)
        return err_set(err, ERR_AUTH_MALFORMED,
                       "the header Authorization must be: Bearer <ACCESS_TOKEN>");
    const char *token = authorization + 7;
    while (*token == ' ')
        token++;
    if (!is_token(token))
        return err_set(
            err, ERR_AUTH_MALFORMED,
            "the bearer token is malformed: it must be tg_live_ and 38 letters and digits, "
            "of which the last 6 are a checksum");
    token_digest(token, digest);
    return true;
}
