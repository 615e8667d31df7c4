/* svc-utils/jwt-decode/tests/parts.h - parts of tokens for the tests. */
#pragma once

#include "base/codec/base64.h"
#include "tool.h"

/* Append the base64url of a text with 'single quotes' for double ones. */
static inline void add_part(struct buf *out, const char *quoted)
{
    scoped(buf_free) struct buf plain = BUF(1 << 16);
    size_t start = out->size;
    add_quoted(&plain, quoted);
    base64_encode(out, buf_text(&plain));
    while (out->size > start && out->bytes[out->size - 1] == '=')
        out->bytes[--out->size] = '\0';
    for (size_t i = start; i < out->size; i++)
        out->bytes[i] = out->bytes[i] == '+' ? '-' : out->bytes[i] == '/' ? '_' : out->bytes[i];
}
