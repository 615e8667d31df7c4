/* svc-utils/jwt-decode/token/algorithm.h - the registered algorithms of JOSE. */
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
    FAMILY_KEY, /* of JWE: how the content key is encrypted or agreed */
};

struct algorithm {
    const char *name;
    enum family family;
    const char *digest;     /* OpenSSL's name; NULL: none, or built in */
    size_t signature_bytes; /* 0: it depends on the key */
    const char *description;
};

/* Find by name in any case; NULL for an unknown name and for NULL. */
const struct algorithm *algorithm_find(const char *name);
