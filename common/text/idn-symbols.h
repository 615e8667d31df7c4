/*
 * common/text/idn-symbols.h - labels with symbols, emoji above all: UTS 46, by which browsers read
 * names, takes them as they are; IDNA2008, and so libidn2, does not.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"

/* Is it of a block that holds nothing but symbols that stay as they are? */
bool idn_is_symbol(uint32_t code_point);

/* Append a label of valid UTF-8, which is mapped already, by Punycode (RFC 3492). False: it is
 * longer than 63 octets then. */
bool idn_encode(struct text label, struct buf *out) must_check;
