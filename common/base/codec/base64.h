/* common/base/codec/base64.h - Base64 (RFC 4648 sections 4 and 5). */
#pragma once

#include <stdbool.h>

#include "base/buf.h"

/* Append the standard alphabet with padding. */
bool base64_encode(struct buf *out, struct text bytes);

/* Append what text stands for: standard or URL alphabet (not mixed), padding optional but right
 * where it is given, no blanks, no stray bits in the last digit. False, with nothing appended,
 * for anything else. */
bool base64_decode(struct buf *out, struct text text);

/* The value of one digit of either alphabet, -1 when it is none. */
int base64_digit(char digit);
