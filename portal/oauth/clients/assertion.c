/* portal/oauth/clients/assertion.c - see assertion.h. */
#include "portal/oauth/clients/assertion.h"

#include <sodium.h>
#include <stdio.h>
#include <string.h>

#include "base/codec/base64.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/table.h"
#include "portal/oauth/clients/jwk.h"
#include "text/json.h"

enum {
    JWT_DEPTH = 8,
    KEYS_TRIED_MAX = 4, /* of a set that has a kid several times */
    SECOND_MS = 1000,
};

/* `none` has no signature, and HS256 would use the published key as a secret. */
static const struct assertion_algorithm {
    const char *name;
    enum jwk_kind kind;
} algorithms[] = {
    { "RS256", JWK_RSA },
    { "ES256", JWK_P256 },
};

/* ---- reading ---- */

/* base64url without padding, and in one spelling only. */
static bool decode(struct text text, struct buf *out)
{
    return text.size > 0 && !text_has(text, "=") && !text_has(text, "+") && !text_has(text, "/") &&
           base64_decode(out, text);
}

static bool decode_json(struct text part, cJSON **tree)
{
    scoped(buf_free) struct buf bytes = BUF(ASSERTION_MAX_BYTES);
    struct err err = { 0 };
    return decode(part, &bytes) && json_parse(buf_text(&bytes), JWT_DEPTH, tree, &err) &&
           json_is(*tree, cJSON_Object);
}

/* Copy a member. False: it is not a string of 1 to size - 1 bytes without NUL. */
static bool copy_text(const cJSON *object, const char *name, char *out, size_t size)
{
    struct text text = json_text_of(json_get(object, name));
    if (text.size == 0 || text.size >= size || memchr(text.bytes, '\0', text.size))
        return false;
    snprintf(out, size, "%.*s", (int)text.size, text.bytes);
    return true;
}

static const char *read_header(const cJSON *header, struct assertion *assertion)
{
    const char *algorithm = json_text(header, "/alg");
    assertion->algorithm = algorithm ? TABLE_FIND(algorithms, algorithm) : NULL;
    if (!assertion->algorithm)
        return "must be signed with RS256 or ES256";
    if (json_get(header, "crit"))
        return "must not have crit in its header"; /* RFC 7515 section 4.1.11 */
    return copy_text(header, "kid", assertion->kid, sizeof(assertion->kid))
               ? NULL
               : "must have a kid of 1 to 255 bytes in its header";
}

static const char *read_parts(struct text jwt, struct assertion *assertion)
{
    scoped(json_free) cJSON *header = NULL;
    struct text rest = jwt;
    struct text first = text_before(rest, ".");
    rest = text_skip(rest, MIN(first.size + 1, rest.size));
    struct text second = text_before(rest, ".");
    rest = text_skip(rest, MIN(second.size + 1, rest.size));
    assertion->input = (struct text){ jwt.bytes, MIN(first.size + 1 + second.size, jwt.size) };
    if (!decode_json(first, &header) || !decode_json(second, &assertion->claims) ||
        !decode(rest, &assertion->signature))
        return "must be a JWT of three parts";
    return read_header(header, assertion);
}

const char *assertion_read(struct text jwt, struct assertion *assertion)
{
    *assertion = (struct assertion){ .signature = BUF(ASSERTION_MAX_BYTES) };
    if (jwt.size > ASSERTION_MAX_BYTES)
        return "must have at most 8,192 bytes";
    const char *problem = read_parts(jwt, assertion);
    if (problem)
        return problem;
    return copy_text(assertion->claims, "sub", assertion->subject, sizeof(assertion->subject))
               ? NULL
               : "must have the client_id as sub";
}

void assertion_free(struct assertion *assertion)
{
    json_free(&assertion->claims);
    buf_free(&assertion->signature);
}

/* ---- judging ---- */

/* The issuer, or its token endpoint, which older clients send. */
static bool is_for_us(struct text audience, const char *issuer)
{
    scoped(mem_free) char *endpoint = str_format("%s/oauth/token", issuer);
    return text_is(audience, issuer) || text_is(audience, endpoint);
}

/* A list is good if it has us (RFC 7519 section 4.1.3). */
static bool has_audience(const cJSON *claims, const char *issuer)
{
    const cJSON *audience = json_get(claims, "aud");
    const cJSON *item;
    if (is_for_us(json_text_of(audience), issuer))
        return true;
    if (!json_is(audience, cJSON_Array))
        return false;
    cJSON_ArrayForEach(item, audience)
        if (is_for_us(json_text_of(item), issuer))
            return true;
    return false;
}

/* Is a time, if it is there, a number at most this far ahead? */
static bool is_time_until(const cJSON *claims, const char *name, double latest_s)
{
    const cJSON *time = json_get(claims, name);
    return !time || (json_is(time, cJSON_Number) && time->valuedouble <= latest_s);
}

static const char *check_times(const cJSON *claims, double now_s)
{
    const cJSON *end = json_get(claims, "exp");
    if (!json_is(end, cJSON_Number))
        return "must have exp";
    if (!(end->valuedouble > now_s - ASSERTION_SKEW_S))
        return "has expired";
    if (!(end->valuedouble <= now_s + ASSERTION_LIFE_S + ASSERTION_SKEW_S))
        return "must have an exp at most 300 s ahead";
    if (!is_time_until(claims, "nbf", now_s + ASSERTION_SKEW_S) ||
        !is_time_until(claims, "iat", now_s + ASSERTION_SKEW_S))
        return "must have nbf and iat in the past";
    return NULL;
}

const char *assertion_check(const struct assertion *assertion, const char *client_id,
                            const char *issuer, int64_t wall_ms)
{
    const cJSON *claims = assertion->claims;
    char id[ASSERTION_ID_BYTES];
    if (strcmp(assertion->subject, client_id) != 0 ||
        !text_is(json_text_of(json_get(claims, "iss")), client_id))
        return "must have the client_id as iss and sub";
    if (!has_audience(claims, issuer))
        return "must have this issuer or its token endpoint as aud";
    if (json_get(claims, "jti") && !copy_text(claims, "jti", id, sizeof(id)))
        return "must have a jti of 1 to 255 bytes";
    return check_times(claims, (double)wall_ms / SECOND_MS);
}

/* ---- the key ---- */

static bool fits(const struct assertion *assertion, const cJSON *jwk)
{
    return text_is(json_text_of(json_get(jwk, "kid")), assertion->kid) &&
           jwk_may_verify(jwk, assertion->algorithm->kind, assertion->algorithm->name);
}

bool assertion_finds_key(const struct assertion *assertion, const cJSON *keys)
{
    const cJSON *jwk;
    cJSON_ArrayForEach(jwk, json_get(keys, "keys"))
        if (fits(assertion, jwk))
            return true;
    return false;
}

static bool is_signed_with(const struct assertion *assertion, const cJSON *jwk)
{
    EVP_PKEY *key = jwk_public_key(jwk, assertion->algorithm->kind);
    bool ok = key && jwk_verifies(key, assertion->algorithm->kind, assertion->input,
                                  buf_text(&assertion->signature));
    EVP_PKEY_free(key);
    return ok;
}

bool assertion_is_signed(const struct assertion *assertion, const cJSON *keys)
{
    const cJSON *jwk;
    size_t tried = 0;
    cJSON_ArrayForEach(jwk, json_get(keys, "keys"))
        if (fits(assertion, jwk) && tried++ < KEYS_TRIED_MAX && is_signed_with(assertion, jwk))
            return true;
    return false;
}

/* Without a jti, what is signed. An ES256 signature has a second spelling, so it does not count. */
void assertion_digest(const struct assertion *assertion,
                      uint8_t digest[static ASSERTION_DIGEST_BYTES])
{
    struct text id = json_text_of(json_get(assertion->claims, "jti"));
    struct text name = id.size > 0 ? id : assertion->input;
    crypto_hash_sha256_state state;
    crypto_hash_sha256_init(&state);
    crypto_hash_sha256_update(&state, (const uint8_t *)assertion->subject,
                              strlen(assertion->subject) + 1);
    crypto_hash_sha256_update(&state, (const uint8_t *)(id.size > 0 ? "j" : "s"), 1);
    crypto_hash_sha256_update(&state, (const uint8_t *)name.bytes, name.size);
    crypto_hash_sha256_final(&state, digest);
}
