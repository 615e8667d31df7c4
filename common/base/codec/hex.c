/* common/base/codec/hex.c - bytes as hexadecimal text, by libsodium. */
#include "base/codec/hex.h"

#include <sodium.h>

void hex_encode(char *out, const void *bytes, size_t size)
{
    sodium_bin2hex(out, 2 * size + 1, bytes, size);
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
    size_t size = digits.size / 2;
    unsigned char *room = (unsigned char *)buf_reserve(out, size);
    if (!room)
        return false;
    bool ok = sodium_hex2bin(room, size, digits.bytes, digits.size, NULL, NULL, NULL) == 0;
    out->size += ok ? size : 0;
    out->bytes[out->size] = '\0';
    return ok;
}
