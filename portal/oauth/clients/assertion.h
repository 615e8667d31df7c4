/*
 * portal/oauth/clients/assertion.h - private_key_jwt: a client signs each request to the token and
 * revocation endpoints (RFC 7523 section 3, OpenID Connect Core section 9).
 *
 * Nothing here connects or stores: portal/oauth/authenticate.h finds the keys and refuses a
 * second use.
 */
#pragma once

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "portal/oauth/clients/client.h"

#define ASSERTION_TYPE "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"

enum {
    ASSERTION_MAX_BYTES = 8192,
    ASSERTION_LIFE_S = 300, /* exp is at most this far ahead */
    ASSERTION_SKEW_S = 60,  /* of the client's clock */
    ASSERTION_ID_BYTES = 256,
    ASSERTION_DIGEST_BYTES = 32,
};

/* By value; release with assertion_free(). */
struct assertion {
    const struct assertion_algorithm *algorithm; /* RS256 or ES256 */
    char kid[ASSERTION_ID_BYTES];
    char subject[CLIENT_ID_MAX_BYTES + 1];
    cJSON *claims;
    struct text input; /* what is signed; borrowed from the JWT */
    struct buf signature;
};

/* Read a JWT, without judging it. Returns NULL, or what is wrong with it: the end of a sentence
 * that begins with "the assertion". */
const char *assertion_read(struct text jwt, struct assertion *assertion);
void assertion_free(struct assertion *assertion);

/* Judge its claims, for this client and server at this time. Returns as assertion_read(). */
const char *assertion_check(const struct assertion *assertion, const char *client_id,
                            const char *issuer, int64_t wall_ms);

/* Has the set (RFC 7517) a key with its kid and of its kind? */
bool assertion_finds_key(const struct assertion *assertion, const cJSON *keys);

/* Was it signed with such a key? */
bool assertion_is_signed(const struct assertion *assertion, const cJSON *keys);

/* Names it, by its client and jti; the same for each copy of it. */
void assertion_digest(const struct assertion *assertion,
                      uint8_t digest[static ASSERTION_DIGEST_BYTES]);
