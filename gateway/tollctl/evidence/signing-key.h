/*
 * gateway/tollctl/evidence/signing-key.h - Ed25519 keys (RFC 8032) in PEM files, as
 * `openssl genpkey -algorithm ed25519` and `openssl pkey -pubout` write them.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/text.h"

enum {
    SIGNATURE_BYTES = 64,
    PUBLIC_KEY_BYTES = 44, /* SubjectPublicKeyInfo in DER (RFC 8410 section 4) */
};

struct signing_key; /* a public key, or a pair */

/* Read a private key. Errors: ERR_INVALID_VALUE, also if other users can read the file. */
bool signing_key_read(const char *path, struct signing_key **key, struct err *err) must_check;

/* Read a public key. Errors: ERR_INVALID_VALUE. */
bool signing_key_read_public(const char *path, struct signing_key **key,
                             struct err *err) must_check;

void signing_key_free(struct signing_key **key);

/* Sign with a private key. */
void signing_key_sign(const struct signing_key *key, struct text message,
                      uint8_t signature[static SIGNATURE_BYTES]);

bool signing_key_verify(const struct signing_key *key, struct text message, struct text signature);

void signing_key_public(const struct signing_key *key, uint8_t out[static PUBLIC_KEY_BYTES]);
