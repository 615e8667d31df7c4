/* common/base/codec/hex.c - bytes as hexadecimal text. */
#include "base/codec/hex.h"

#include <stdint.h>

void hex_encode(char *out, const void *bytes, size_t size)
{
    const uint8_t *byte = bytes;
    for (size_t i = 0; i < size; i++) {
        *out++ = "0123456789abcdef"[byte[i] >> 4];
        *out++ = "0123456789abcdef"[byte[i] & 15];
    }
    *out = '\0';
}

int hex_digit(char digit)
{
    if (digit >= '0' && digit <= '9')
        return digit - '0';
    if (digit >= 'a' && digit <= 'f')
        return digit - 'a' + 10;
    if (digit >= 'A' && digit <= 'F')
        return digit - 'A' + 10;
    return -1;
}

bool hex_decode(struct buf *out, struct text digits)
{
    if (digits.size % 2 != 0)
        return false;
    for (size_t i = 0; i < digits.size; i++)
        if (hex_digit(digits.bytes[i]) < 0)
            return false;
    char *room = buf_reserve(out, digits.size / 2);
    if (!room)
        return false;
    for (size_t i = 0; i < digits.size; i += 2)
        *room++ = (char)(hex_digit(digits.bytes[i]) << 4 | hex_digit(digits.bytes[i + 1]));
    *room = '\0';
    out->size += digits.size / 2;
    return true;
}
