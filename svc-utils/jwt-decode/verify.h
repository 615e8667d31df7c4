/*
 * svc-utils/jwt-decode/verify.h - check the signatures of a token with a key.
 */
#pragma once

#include "algorithm.h"
#include "token.h"

enum verdict {
    VERDICT_NONE, /* not checked: encrypted, detached, or by no algorithm that we can check */
    VERDICT_VALID,
    VERDICT_INVALID,
};

enum { VERIFY_SIGNATURES_MAX = 16 }; /* of one token; the others are not checked */

/* Zero is what is known without a key. */
struct verification {
    enum verdict verdict;                           /* VALID when one signature is */
    enum verdict of[VERIFY_SIGNATURES_MAX];         /* of each */
    struct token *signature[VERIFY_SIGNATURES_MAX]; /* each after the first; NULL: it is none */
    int64_t count;     /* of those above, 1 for a token with one signature */
    int64_t fitting;   /* number, from 1, of the first that is VALID; 0: none */
    char *mismatch;    /* a sentence: why no key given could fit; NULL: one could */
    bool is_crit;      /* refused for what its crit names, whatever the signature */
    bool is_confusion; /* the public key given served as an HMAC secret */
    bool is_short;     /* it fits, but the secret is shorter than the digest */
};

/* Read the signatures after the first. */
void verification_begin(const struct token *token, struct verification *out);

/*
 * Check the signatures of a token with a key: a PEM public key or certificate, a JWK or a set of
 * them as JSON, or else the text of an HMAC secret. Of a set the keys with the signature's kid are
 * tried, all if there is none. A key of another kind than the algorithm needs, or a JWK that says
 * it is for something else, never fits: VERDICT_INVALID. So is a signature whose header has a crit
 * that we do not understand (RFC 7515 section 4.1.11). A detached payload that was not given is
 * tried as the empty one: if that does not fit, VERDICT_NONE. The time that all of it may take is
 * bounded; what was not reached is VERDICT_NONE.
 * Errors: ERR_INVALID_VALUE for PEM or JSON that holds no such key.
 */
bool verify(const struct token *token, struct text key, struct verification *out,
            struct err *err) must_check;

void verification_free(struct verification *verification);

/* The number, from 1, of the well-known secret that made the first signature; 0 when none did. */
size_t verify_weak_secret(const struct token *token, const struct algorithm *algorithm);
