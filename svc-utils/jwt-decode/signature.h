/*
 * svc-utils/jwt-decode/signature.h - does a signature fit a key (RFC 7518 section 3, RFC 8037)?
 *
 * input is what was signed, signature its bytes. None of these asks what a key is for: keys.h does.
 */
#pragma once

#include <openssl/evp.h>
#include <stdint.h>

#include "algorithm.h"
#include "base/buf.h"

bool signature_of_secret(const struct algorithm *algorithm, struct text secret, struct text input,
                         const struct buf *signature);

/* The key has the kind that the algorithm needs. */
bool signature_of_key(const struct algorithm *algorithm, EVP_PKEY *key, struct text input,
                      const struct buf *signature);

/* The number, from 1, of the well-known secret that made it; 0 when none did. */
size_t signature_of_known_secret(const struct algorithm *algorithm, struct text input,
                                 const struct buf *signature);

/* Was it made with a public key as the secret of an HMAC? given is the key as it came, key what
 * was read from it: it is tried as PEM and DER, with and without a line feed at its end. */
bool signature_of_public_text(const struct algorithm *algorithm, EVP_PKEY *key, struct text given,
                              struct text input, const struct buf *signature);

/* What it costs to try a key (NULL: a secret), in microseconds of a machine of 2020, rounded up
 * generously: RSA by the lengths of modulus and exponent, which the key's maker chooses. */
int64_t signature_cost(const EVP_PKEY *key, size_t input_bytes);
