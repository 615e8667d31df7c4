/* common/base/codec/ecdsa.h - ECDSA signatures in the two forms that are in use. */
#pragma once

#include "base/buf.h"

/*
 * Append in DER (RFC 3279 section 2.2.3), as OpenSSL reads it, a signature that JWS has: r and s
 * one after the other, of the same size (RFC 7518 section 3.4). False: it has an odd size, is
 * empty, or der is full.
 */
bool ecdsa_to_der(struct text raw, struct buf *der) must_check;
