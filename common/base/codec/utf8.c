/* common/base/codec/utf8.c - UTF-8 by libunistring. */
#include "base/codec/utf8.h"

#include <string.h>
#include <unistr.h>

size_t utf8_valid_bytes(struct text text)
{
    const uint8_t *start = (const uint8_t *)text.bytes;
    const uint8_t *bad = u8_check(start, text.size);
    return bad ? (size_t)(bad - start) : text.size;
}

bool utf8_is_valid(struct text text)
{
    return utf8_valid_bytes(text) == text.size;
}

/* The bytes of a word that continue a code point: 10xxxxxx. */
static size_t continuing(uint64_t word)
{
    const uint64_t ones = UINT64_C(0x0101010101010101);
    return (size_t)((((word >> 7) & ~(word >> 6) & ones) * ones) >> 56);
}

size_t utf8_length(struct text text)
{
    size_t length = text.size;
    uint64_t word;
    for (; text.size >= sizeof(word); text.bytes += sizeof(word), text.size -= sizeof(word)) {
        memcpy(&word, text.bytes, sizeof(word));
        length -= continuing(word);
    }
    for (; text.size > 0; text.bytes++, text.size--)
        length -= (*text.bytes & 0xC0) == 0x80;
    return length;
}

uint32_t utf8_next(struct text text, size_t *bytes)
{
    ucs4_t code_point;
    *bytes = (size_t)u8_mbtouc(&code_point, (const uint8_t *)text.bytes, text.size);
    return code_point;
}

struct text utf8_cut(struct text text, size_t max_bytes)
{
    if (text.size <= max_bytes)
        return text;
    while (max_bytes > 0 && (text.bytes[max_bytes] & 0xC0) == 0x80)
        max_bytes--;
    return (struct text){ text.bytes, max_bytes };
}

bool utf8_add(struct buf *buf, uint32_t code_point)
{
    uint8_t bytes[4];
    int length = u8_uctomb(bytes, code_point, sizeof(bytes));
    return length > 0 && buf_add(buf, bytes, (size_t)length);
}
