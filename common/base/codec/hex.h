/* common/base/codec/hex.h - bytes as hexadecimal text (RFC 4648 section 8, lower case). */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"

/* Write 2 * size digits and a NUL to out. */
void hex_encode(char *out, const void *bytes, size_t size);

/* Append the bytes that an even number of digits (either case) stands for; false, with nothing
 * appended, for anything else. */
bool hex_decode(struct buf *out, struct text digits);

/* The value of one digit, -1 when it is none. */
int hex_digit(char digit);
