/*
 * svc-email/records/dkim-key.h - the public key of a DKIM selector (RFC 6376 section 3.6.1, RFC
 * 8301, RFC 8463).
 */
#pragma once

#include <stdbool.h>

#include "base/text.h"

enum dkim_state {
    DKIM_KEY_VALID,
    DKIM_KEY_REVOKED, /* its p is empty */
    DKIM_KEY_INVALID, /* no verifier can use it; see error */
};

enum dkim_algorithm { DKIM_RSA, DKIM_ED25519, DKIM_OTHER };

/* Texts are borrowed from the record. */
struct dkim_key {
    enum dkim_state state;
    const char *error; /* "it …", static; NULL unless invalid */
    enum dkim_algorithm algorithm;
    struct text public_key; /* p as written, possibly with white space */
    unsigned bits;          /* of an RSA modulus; 256 for Ed25519; 0: unknown */
    bool has_bad_exponent;  /* RSA exponent that is even, or 1 */
    bool is_bare;           /* RSAPublicKey without SubjectPublicKeyInfo */
    bool is_testing;        /* t=y */
    bool is_strict;         /* t=s: not for subdomains */
    struct text flags;      /* t and h, colon-separated lists; empty: absent */
    struct text hashes;
};

void dkim_key_read(struct text record, struct dkim_key *key);

/* Whether it can verify a current signature: an RSA modulus of at least 1024 bits (RFC 8301 section
 * 3.2), a valid exponent, SHA-256 among the hashes. */
bool dkim_key_is_usable(const struct dkim_key *key);
