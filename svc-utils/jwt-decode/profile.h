/*
 * svc-utils/jwt-decode/profile.h - what each type of token needs: a DPoP proof, for example, has no
 * expiry, and contains its own key.
 */
#pragma once

#include "jwt-decode/token/token.h"
#include "warnings.h"

/* Claims that a type does without. */
enum profile_claim {
    PROFILE_EXP = 1 << 0,
    PROFILE_ISS = 1 << 1,
    PROFILE_SUB = 1 << 2,
    PROFILE_AUD = 1 << 3,
    PROFILE_JTI = 1 << 4,
};

enum { PROFILE_REQUIRED_MAX = 5 };

struct profile {
    const char *typ;                            /* without application/; NULL: any other type */
    unsigned without;                           /* bits of enum profile_claim */
    const char *required[PROFILE_REQUIRED_MAX]; /* claims that its specification demands */
    bool has_own_key;                           /* in jwk of the header */
};

/* Of the typ of a header; never NULL. */
const struct profile *profile_of(const cJSON *header);

/* Missing claims of the type, and what is peculiar to tokens of well-known issuers. */
void rules_profile(const struct token *token, const struct profile *profile,
                   struct warnings *warnings);

/* Is the audience of this issuer's access tokens not in aud? */
bool profile_has_other_audience(const cJSON *payload);
