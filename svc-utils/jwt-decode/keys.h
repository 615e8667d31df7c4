/*
 * svc-utils/jwt-decode/keys.h - keys as people have them: PEM, JWK (RFC 7517), a line of OpenSSH or
 * plain text.
 */
#pragma once

#include <openssl/evp.h>

#include "algorithm.h"
#include "base/buf.h"
#include "base/err.h"

enum { KEYS_MAX = 16 }; /* tried for one signature */

/* What a JWK says that it is for (RFC 7517 sections 4.2 to 4.4); zero: anything. */
struct purpose {
    const char *algorithm; /* of our table; NULL: any */
    bool is_other;         /* alg names no algorithm of signatures that we know */
    bool is_no_signature;  /* use or key_ops speak of something else */
};

struct key {
    EVP_PKEY *public;  /* NULL: a secret */
    struct buf secret; /* wiped when released */
    bool is_text;      /* a secret that is no JWK: the text itself */
    struct purpose purpose;
};

struct keys {
    size_t count;
    struct key item[KEYS_MAX];
};

/*
 * Read the keys of a text: a PEM public key or certificate, a JWK or a JWK set as JSON, a public
 * key of OpenSSH; any other text is a secret. Of a set only the keys whose kid is the one given
 * count, if there is any (kid may be NULL), and of those the first KEYS_MAX.
 * Errors: ERR_INVALID_VALUE for PEM or JSON that holds no key we know.
 */
bool keys_read(struct text text, const char *kid, struct keys *keys, struct err *err) must_check;

void keys_free(struct keys *keys);

/*
 * May the algorithm use this key: by its kind, its curve, and by what a JWK says that it is for?
 * NULL: yes; else the end of a sentence that begins with the algorithm's name.
 */
const char *key_mismatch(const struct key *key, const struct algorithm *algorithm);
