/*
 * common/text/idn-symbols.h - labels with symbols, mostly emoji. UTS 46, which browsers use, allows
 * them; IDNA2008, and so libidn2, does not.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"

/* Is it in a block with only symbols that stay unchanged? */
bool idn_is_symbol(uint32_t code_point);

/* Append a label of valid, mapped UTF-8 as Punycode (RFC 3492). False if the result is longer than
 * 63 octets. */
bool idn_encode(struct text label, struct buf *out) must_check;
