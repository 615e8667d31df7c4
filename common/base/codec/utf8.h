/*
 * common/base/codec/utf8.h - UTF-8 (RFC 3629), checked by libunistring, which rejects overlong
 * forms, surrogates and code points above U+10FFFF.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

bool utf8_is_valid(struct text text);

/* Bytes before the first one that is not UTF-8; text.size if all are valid. */
size_t utf8_valid_bytes(struct text text);

/* Code points in valid UTF-8. */
size_t utf8_length(struct text text);

/* The first code point of valid, non-empty UTF-8 and its length in bytes. */
uint32_t utf8_next(struct text text, size_t *bytes);

/* The first max_bytes of valid UTF-8, or fewer so that it ends with a whole code point. */
struct text utf8_cut(struct text text, size_t max_bytes);

/* Append one code point (a scalar value: not a surrogate, at most U+10FFFF). */
bool utf8_add(struct buf *buf, uint32_t code_point);
