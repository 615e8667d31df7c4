/* common/base/codec/base64.h - Base64 (RFC 4648 sections 4 and 5). */
#pragma once

#include <stdbool.h>

#include "base/buf.h"

/* Append the standard alphabet with padding. */
bool base64_encode(struct buf *out, struct text bytes);

/*
 * Append the decoded text: standard or URL alphabet (not mixed); padding is optional but must be
 * correct; no blanks, no stray bits in the last digit. False, with nothing appended, for any other
 * text.
 */
bool base64_decode(struct buf *out, struct text text);

/* The value of one digit of either alphabet; -1 if it is invalid. Inline and without branches,
 * because decoders call it for each byte. */
extern const signed char base64_digits[256];
static inline int base64_digit(char digit)
{
    return base64_digits[(unsigned char)digit];
}
