/*
 * svc-utils/jwt-decode/signature.h - is a signature valid for a key (RFC 7518 section 3, RFC 8037)?
 *
 * input is what was signed; signature is its bytes. These functions ignore the declared use of a
 * key: keys.h checks that.
 */
#pragma once

#include <openssl/evp.h>
#include <stdint.h>

#include "base/buf.h"
#include "jwt-decode/token/algorithm.h"

bool signature_of_secret(const struct algorithm *algorithm, struct text secret, struct text input,
                         const struct buf *signature);

/* The key must have the type that the algorithm requires. */
bool signature_of_key(const struct algorithm *algorithm, EVP_PKEY *key, struct text input,
                      const struct buf *signature);

/* The number, from 1, of a secret among the well-known ones; 0 if it is not one. */
size_t signature_known_secret(struct text secret);

/* The number, from 1, of the well-known secret that made the signature; 0 if none did. */
size_t signature_of_known_secret(const struct algorithm *algorithm, struct text input,
                                 const struct buf *signature);

/*
 * Was the signature made with a public key as the HMAC secret? `given` is the key as sent, `key`
 * the parsed key. Tries PEM and DER, with and without a line feed at the end.
 */
bool signature_of_public_text(const struct algorithm *algorithm, EVP_PKEY *key, struct text given,
                              struct text input, const struct buf *signature);

/*
 * The cost to try a key (NULL: a secret), in microseconds of a machine of 2020, rounded up
 * generously. For RSA it depends on the lengths of modulus and exponent, which an attacker can
 * choose.
 */
int64_t signature_cost(const EVP_PKEY *key, size_t input_bytes);
