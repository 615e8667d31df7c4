/*
 * common/base/codec/base64.c - Base64 in both alphabets. libsodium decodes as strictly as the
 * header says; libcrypto encodes eight times as fast.
 */
#include "base/codec/base64.h"

#include <openssl/evp.h>
#include <sodium.h>
#include <string.h>

#include "base/text.h"

bool base64_encode(struct buf *out, struct text bytes)
{
    char *room = buf_reserve(out, (bytes.size + 2) / 3 * 4);
    if (!room)
        return false;
    out->size += (size_t)EVP_EncodeBlock((unsigned char *)room, (const unsigned char *)bytes.bytes,
                                         (int)bytes.size);
    return true;
}

int base64_digit(char digit)
{
    if (digit >= 'A' && digit <= 'Z')
        return digit - 'A';
    if (digit >= 'a' && digit <= 'z')
        return digit - 'a' + 26;
    if (digit >= '0' && digit <= '9')
        return digit - '0' + 52;
    if (digit == '+' || digit == '-')
        return 62;
    return digit == '/' || digit == '_' ? 63 : -1;
}

bool base64_decode(struct buf *out, struct text text)
{
    static const int variants[2][2] = {
        { sodium_base64_VARIANT_ORIGINAL_NO_PADDING, sodium_base64_VARIANT_ORIGINAL },
        { sodium_base64_VARIANT_URLSAFE_NO_PADDING, sodium_base64_VARIANT_URLSAFE },
    };
    bool is_url =
        text.size > 0 && (memchr(text.bytes, '-', text.size) || memchr(text.bytes, '_', text.size));
    size_t digits = text.size;
    while (digits > 0 && text.size - digits < 2 && text.bytes[digits - 1] == '=')
        digits--;
    size_t size = digits / 4 * 3 + digits % 4 * 6 / 8;
    unsigned char *room = (unsigned char *)buf_reserve(out, size);
    if (!room)
        return false;
    bool ok = text_is_ascii(text) && /* libsodium 1.0.18 accepts other bytes as digits */
              sodium_base642bin(room, size, text.bytes, text.size, NULL, NULL, NULL,
                                variants[is_url][digits < text.size]) == 0;
    out->size += ok ? size : 0;
    out->bytes[out->size] = '\0';
    return ok;
}
