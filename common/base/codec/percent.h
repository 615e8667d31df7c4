/*
 * common/base/codec/percent.h - the percent-encoding of URLs (RFC 3986 section 2.1).
 */
#pragma once

#include "base/buf.h"

/*
 * Append the decoded text. A plus stays a plus, unlike in forms. False for a % without two
 * hexadecimal digits after it, and for a NUL in either form.
 */
bool percent_decode(struct text text, struct buf *out) must_check;

/* Append a text, with all bytes encoded except ASCII letters, digits and the bytes in kept. */
void percent_encode(struct text text, const char *kept, struct buf *out);
