/*
 * svc-security/tls-check/protocol/suites.h - cipher suites, from suites.def, suites-ssl2.def,
 * key-exchanges.def and ciphers.def.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "version.h"

enum {
    KX_IS_FORWARD_SECRET = 1,
    KX_IS_ANONYMOUS = 2,
    KX_IS_EXPORT = 4,
    KX_SENDS_RSA = 8, /* in ServerKeyExchange, like the next two */
    KX_SENDS_DH = 16,
    KX_SENDS_EC = 32,
    KX_IS_RSA_ENCRYPTION = 64, /* the client encrypts a secret with the server's RSA key */
    KX_SENDS = KX_SENDS_RSA | KX_SENDS_DH | KX_SENDS_EC,
};

enum {
    CIPHER_IS_AEAD = 1,
    CIPHER_IS_CBC = 2,
    CIPHER_IS_SHORT_BLOCK = 4, /* 64-bit blocks */
    CIPHER_IS_RC4 = 8,
    CIPHER_IS_DES = 16,
    CIPHER_IS_3DES = 32,
    CIPHER_IS_OUTDATED = 64, /* RC2, IDEA, SEED */
};

struct kx {
    const char *name;
    unsigned flags;
};

struct cipher {
    unsigned bits;
    unsigned flags;
};

struct suite {
    uint32_t id; /* 2 bytes; 3 for SSL 2.0 */
    const char *name;
    const struct kx *kx;
    const struct cipher *cipher;
    enum version since;
};

/* NULL if unknown. */
const struct suite *suite_find(uint16_t id);
const struct suite *suite_find_ssl2(uint32_t id);

enum strength { STRENGTH_INSECURE, STRENGTH_WEAK, STRENGTH_ACCEPTABLE, STRENGTH_STRONG };

/*
 * - insecure: no encryption, no authentication, less than 112 bits, or RC4
 * - weak: 64-bit blocks, an unmaintained cipher, or CBC without forward secrecy
 * - acceptable: CBC, or no forward secrecy
 * - strong: AEAD with forward secrecy
 */
enum strength suite_strength(const struct suite *suite);
const char *strength_name(enum strength strength);

/* Groups of suites below TLS 1.3 that one hello can offer. */
enum suite_kind {
    SUITES_INSECURE, /* insecure: no authentication, short keys, old ciphers */
    SUITES_COMMON,   /* suites of current servers */
    SUITES_RARE,     /* ARIA, Camellia, CCM */
    SUITES_STATIC,   /* Diffie-Hellman with the certificate's key */
    SUITE_KINDS
};
enum { SUITES_OFFER_MAX = 100 }; /* keeps a hello below 512 bytes */
size_t suites_of_kind(enum suite_kind kind, enum version version,
                      uint16_t ids[static SUITES_OFFER_MAX]);

/* The suites of TLS 1.3. */
enum { SUITES_TLS13 = 5 };
extern const uint16_t suites_tls13[SUITES_TLS13];

/* All ids of SSL 2.0; returns their number. */
enum { SUITES_SSL2_MAX = 8 };
size_t suites_of_ssl2(uint32_t ids[static SUITES_SSL2_MAX]);
