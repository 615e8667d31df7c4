/*
 * svc-utils/jwt-decode/keys.h - keys in common formats: PEM, JWK (RFC 7517), an OpenSSH line or
 * plain text.
 */
#pragma once

#include <openssl/evp.h>

#include "base/buf.h"
#include "base/err.h"
#include "jwt-decode/token/algorithm.h"

enum { KEYS_MAX = 16 }; /* tried for one signature */

/* The declared use of a JWK (RFC 7517 sections 4.2 to 4.4); zero: any use. */
struct purpose {
    const char *algorithm; /* of algorithms.def; NULL: any */
    bool is_other;         /* alg is not a known signature algorithm */
    bool is_no_signature;  /* use or key_ops exclude signatures */
};

struct key {
    EVP_PKEY *public;     /* NULL: a secret */
    struct buf secret;    /* wiped on release */
    bool is_text;         /* the secret is the text itself, not a JWK */
    const char *encoding; /* of that text */
    bool is_guess;        /* of that encoding */
    struct purpose purpose;
};

struct keys {
    size_t count;
    struct key item[KEYS_MAX];
    bool lacks_kid; /* there are only keys with another kid */
};

/*
 * Read the keys of a text: a PEM public key or certificate (pem.h) or its Base64, a JWK, a JWK set
 * or certificates by kid as JSON, or an OpenSSH public key. Any other text is a secret in the
 * encoding utf8, base64, base64url or hex; NULL for each of them. Of a set, at most KEYS_MAX keys
 * are used: those with the given kid (NULL: all), else those without one. Errors: ERR_INVALID_VALUE
 * for PEM or JSON without a known key, and for an invalid encoding.
 */
bool keys_read(struct text text, const char *kid, const char *encoding, struct keys *keys,
               struct err *err) must_check;

void keys_free(struct keys *keys);

/*
 * Can the algorithm use this key at all, by its type and curve? Returns NULL if it can; else the
 * end of a sentence that begins with the algorithm's name.
 */
const char *key_mismatch(const struct key *key, const struct algorithm *algorithm);

/* The same for what forbids a key of the right kind: its exponent, or the use that a JWK declares.
 */
const char *key_prohibition(const struct key *key, const struct algorithm *algorithm);
