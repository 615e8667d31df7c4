/*
 * portal/oauth/clients/jwk.h - public keys of clients (RFC 7517, RFC 7518 section 6), and
 * signatures by them. Two kinds: RSA of 2,048 to 8,192 bits, and P-256.
 */
#pragma once

#include <cjson/cJSON.h>
#include <openssl/evp.h>
#include <stdbool.h>

#include "base/text.h"

enum jwk_kind { JWK_RSA, JWK_P256 };

/* Is it a key of this kind for signatures with this algorithm ("RS256")? Its material is not
 * judged. */
bool jwk_may_verify(const cJSON *jwk, enum jwk_kind kind, const char *algorithm);

/* The key; NULL if its material is unusable or weak. The caller frees it. */
EVP_PKEY *jwk_public_key(const cJSON *jwk, enum jwk_kind kind);

/* Is this a signature of input, with SHA-256, as JWS writes it (RFC 7518 sections 3.3 and 3.4)? */
bool jwk_verifies(EVP_PKEY *key, enum jwk_kind kind, struct text input, struct text signature);
