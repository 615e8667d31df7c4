/*
 * svc-utils/hash-generate/checksums.h - the digests that neither OpenSSL nor zlib has.
 *
 * They take bytes and write their sum in the order in which it is printed.
 */
#pragma once

#include "base/buf.h"

/* Keccak-256 as in Ethereum: the padding before FIPS 202, which SHA3-256 changed. */
void keccak256_sum(struct text input, unsigned char sum[static 32]);

/* RFC 3720, appendix B.4: Castagnoli's polynomial. */
void crc32c_sum(struct text input, unsigned char sum[static 4]);

/* xxHash with seed 0, after its author's description of the algorithm. */
void xxh32_sum(struct text input, unsigned char sum[static 4]);
void xxh64_sum(struct text input, unsigned char sum[static 8]);
