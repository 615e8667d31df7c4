/*
 * svc-utils/jwt-decode/keys.h - keys in common formats: PEM, JWK (RFC 7517), an OpenSSH line or
 * plain text.
 */
#pragma once

#include <openssl/evp.h>

#include "algorithm.h"
#include "base/buf.h"
#include "base/err.h"

enum { KEYS_MAX = 16 }; /* tried for one signature */

/* The declared use of a JWK (RFC 7517 sections 4.2 to 4.4); zero: any use. */
struct purpose {
    const char *algorithm; /* of algorithms.def; NULL: any */
    bool is_other;         /* alg is not a known signature algorithm */
    bool is_no_signature;  /* use or key_ops exclude signatures */
};

struct key {
    EVP_PKEY *public;  /* NULL: a secret */
    struct buf secret; /* wiped on release */
    bool is_text;      /* the secret is the text itself, not a JWK */
    struct purpose purpose;
};

struct keys {
    size_t count;
    struct key item[KEYS_MAX];
};

/*
 * Read the keys of a text: a PEM public key or certificate, a JWK or a JWK set as JSON, or an
 * OpenSSH public key. Any other text is a secret. Of a JWK set, only keys with the given kid are
 * used, if there is such a key (kid may be NULL), and at most KEYS_MAX. Errors: ERR_INVALID_VALUE
 * for PEM or JSON without a known key.
 */
bool keys_read(struct text text, const char *kid, struct keys *keys, struct err *err) must_check;

void keys_free(struct keys *keys);

/*
 * Can the algorithm use this key, by its type, its curve and the declared use of a JWK? Returns
 * NULL if it can; else the end of a sentence that begins with the algorithm's name.
 */
const char *key_mismatch(const struct key *key, const struct algorithm *algorithm);
