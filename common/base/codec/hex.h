/* common/base/codec/hex.h - bytes as hexadecimal text (RFC 4648 section 8, lower case). */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"

/* Write 2 * size digits and a NUL to out. */
void hex_encode(char *out, const void *bytes, size_t size);

/* Append the bytes of an even number of digits (either case). False, with nothing appended, for any
 * other text. */
bool hex_decode(struct buf *out, struct text digits);

/* The value of one digit; -1 if it is invalid. */
int hex_digit(char digit);
