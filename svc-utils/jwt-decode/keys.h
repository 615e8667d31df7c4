/*
 * svc-utils/jwt-decode/keys.h - keys as people have them: PEM, JWK (RFC 7517) or plain text.
 */
#ifndef JWT_DECODE_KEYS_H
#define JWT_DECODE_KEYS_H

#include <openssl/evp.h>

#include "algorithm.h"
#include "base/buf.h"
#include "base/err.h"

enum { KEYS_MAX = 16 }; /* tried for one token; an RSA key made to be slow takes 10 ms */

struct key {
    EVP_PKEY *public;  /* NULL: a secret */
    struct buf secret; /* wiped when released */
};

struct keys {
    size_t count;
    struct key item[KEYS_MAX];
};

/*
 * Read the keys of a text: a PEM public key or certificate, a JWK or a JWK set as JSON; any other
 * text is a secret. Of a set only the keys whose kid is the one given count, if there is any (kid
 * may be NULL), and of those the first KEYS_MAX.
 * Errors: ERR_INVALID_VALUE for PEM or JSON that holds no key we know.
 */
bool keys_read(struct text text, const char *kid, struct keys *keys, struct err *err) must_check;

void keys_free(struct keys *keys);

/* Has the key the type, and the curve, that the algorithm needs? */
bool key_suits(const EVP_PKEY *key, const struct algorithm *algorithm);

#endif
