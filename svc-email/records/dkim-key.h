/*
 * svc-email/records/dkim-key.h - the public key that a DKIM selector shows (RFC 6376 section 3.6.1,
 * RFC 8301, RFC 8463).
 */
#pragma once

#include <stdbool.h>

#include "base/text.h"

enum dkim_state {
    DKIM_KEY_VALID,
    DKIM_KEY_REVOKED, /* its p is empty */
    DKIM_KEY_INVALID, /* no verifier can use it: error says why */
};

enum dkim_algorithm { DKIM_RSA, DKIM_ED25519, DKIM_OTHER };

/* Texts are borrowed from the record. */
struct dkim_key {
    enum dkim_state state;
    const char *error; /* "it …", lives for ever; NULL unless invalid */
    enum dkim_algorithm algorithm;
    struct text public_key; /* p as it stands, perhaps with white space inside */
    unsigned bits;          /* of an RSA modulus, 256 of Ed25519; 0: not known */
    bool has_bad_exponent;  /* of RSA: even, or 1 */
    bool is_bare;           /* RSAPublicKey without SubjectPublicKeyInfo around it */
    bool is_testing;        /* t=y */
    bool is_strict;         /* t=s: not for subdomains */
    struct text flags;      /* t and h, lists with colons; empty: not said */
    struct text hashes;
};

void dkim_key_read(struct text record, struct dkim_key *key);

/* Can it verify a signature of today: an RSA modulus of 1024 bits or more (RFC 8301 section 3.2), a
 * sound exponent, SHA-256 among the hashes? */
bool dkim_key_is_usable(const struct dkim_key *key);
