/*
 * common/base/codec/percent.h - the percent-encoding of URLs (RFC 3986 section 2.1).
 */
#pragma once

#include "base/buf.h"

/* Append what a text stands for. A plus is a plus, not the blank that forms mean by it. False for a
 * % that two hexadecimal digits do not follow, and for a NUL in either form. */
bool percent_decode(struct text text, struct buf *out) must_check;

/* Append a text in which all but ASCII letters, digits and the bytes of kept are encoded. */
void percent_encode(struct text text, const char *kept, struct buf *out);
