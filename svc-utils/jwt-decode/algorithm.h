/* svc-utils/jwt-decode/algorithm.h - the registered algorithms of JOSE. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

enum family {
    FAMILY_NONE,
    FAMILY_HMAC,
    FAMILY_RSA,
    FAMILY_RSA_PSS,
    FAMILY_ECDSA,
    FAMILY_EDDSA,
    FAMILY_LATTICE,
    FAMILY_KEY, /* of JWE: how the content's key travels */
};

struct algorithm {
    const char *name;
    enum family family;
    const char *digest;     /* as OpenSSL names it; NULL: none or its own */
    size_t signature_bytes; /* 0: it depends on the key */
    const char *description;
};

/* By name in any case; NULL for an unknown one and for NULL. */
const struct algorithm *algorithm_find(const char *name);
