/*
 * svc-utils/jwt-decode/token/pem.h - public keys and certificates as DER, and as PEM however it was
 * copied: indented, on one line, with \n for line feeds, in quotes, or only its Base64.
 */
#pragma once

#include <openssl/evp.h>

#include "base/text.h"

/* The key of DER that is a SubjectPublicKeyInfo, a certificate or a PKCS #1 key; NULL for others.
 */
EVP_PKEY *der_public_key(struct text der);

/*
 * The first public key or certificate of the blocks from -----BEGIN on; NULL if there is none.
 * *is_private: there is a private key.
 */
EVP_PKEY *pem_public_key(struct text text, bool *is_private);

/* The key of Base64 without BEGIN, such as a value of x5c; NULL for any other text. */
EVP_PKEY *bare_public_key(struct text text);
