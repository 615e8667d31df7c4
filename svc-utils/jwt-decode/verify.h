/* svc-utils/jwt-decode/verify.h - verifies the signatures of a token with a key. */
#pragma once

#include "jwt-decode/token/algorithm.h"
#include "jwt-decode/token/token.h"

enum verdict {
    VERDICT_NONE, /* not checked: encrypted, detached, or an unsupported algorithm */
    VERDICT_VALID,
    VERDICT_INVALID,
};

enum { VERIFY_SIGNATURES_MAX = 16 }; /* of one token; further ones are not checked */

/* Zero is the state without a key. */
struct verification {
    enum verdict verdict;                           /* VALID if any signature is */
    enum verdict of[VERIFY_SIGNATURES_MAX];         /* of each signature */
    struct token *signature[VERIFY_SIGNATURES_MAX]; /* each after the first; NULL: unused */
    int64_t count;        /* number of signatures above; 1 for a token with one signature */
    int64_t fitting;      /* number, from 1, of the first valid signature; 0: none */
    char *mismatch;       /* a sentence why no key given can be used; NULL: one can */
    const char *encoding; /* of the secret whose signature is valid, if key_encoding was not given;
                             NULL: utf8 */
    bool is_crit;         /* rejected because of crit, whatever the signature */
    bool is_own_key;      /* the key is the one in the header */
    bool is_confusion;    /* the public key given was used as an HMAC secret */
    bool is_short;        /* the signature is valid, but the secret is shorter than the digest */
    bool has_secret;      /* the first signature is valid for a secret given */
    size_t known_secret;  /* the number of that one as in verify_weak_secret() */
};

/* Read the signatures after the first. */
void verification_begin(const struct token *token, struct verification *out);

/*
 * Verify the signatures of a token with a key in any form of keys_read(); encoding is of a secret,
 * NULL for any.
 *
 * - VERDICT_INVALID: the signature is not valid for a key that fits the algorithm, the declared use
 *   of the key forbids it, or crit lists an unsupported extension (RFC 7515 section 4.1.11).
 * - VERDICT_NONE: no key fits the algorithm or the kid, see mismatch; or a detached payload was not
 *   given, and the signature is not valid for the empty one.
 * - The total cost is bounded; signatures beyond the bound are VERDICT_NONE.
 *
 * Errors: ERR_INVALID_VALUE as keys_read().
 */
bool verify(const struct token *token, struct text key, const char *encoding,
            struct verification *out, struct err *err) must_check;

void verification_free(struct verification *verification);

/* The number, from 1, of the well-known secret that made the first signature; 0 if none did. Each
 * of them is tried, unless verify() found the secret. */
size_t verify_weak_secret(const struct token *token, const struct algorithm *algorithm,
                          const struct verification *verification);
