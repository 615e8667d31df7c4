/*
 * svc-utils/jwt-decode/verify.h - check the signature of a token with a key, or with the secrets
 * that everybody knows.
 */
#ifndef JWT_DECODE_VERIFY_H
#define JWT_DECODE_VERIFY_H

#include "algorithm.h"
#include "token.h"

enum verdict {
    VERDICT_NONE, /* not checked: encrypted, detached, or by no algorithm that we can check */
    VERDICT_VALID,
    VERDICT_INVALID,
};

/*
 * Check a token with a key: a PEM public key or certificate, a JWK or a set of them as JSON, or
 * else the text of an HMAC secret. Of a set the keys with the token's kid are tried, all if there
 * is none. A key of another kind than the algorithm needs never fits: VERDICT_INVALID.
 * Errors: ERR_INVALID_VALUE for PEM or JSON that holds no such key.
 */
bool verify(const struct token *token, const struct algorithm *algorithm, struct text key,
            enum verdict *verdict, struct err *err) must_check;

/* The number, from 1, of the well-known secret that made the signature; 0 when none did. */
size_t verify_weak_secret(const struct token *token, const struct algorithm *algorithm);

#endif
