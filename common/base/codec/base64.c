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

/* clang-format off */
const signed char base64_digits[256] = {
    [0 ... '*'] = -1,
    ['+'] = 62, -1, 62, -1, 63, /* + , - . / */
    ['0'] = 52, 53, 54, 55, 56, 57, 58, 59, 60, 61,
    [':' ... '@'] = -1,
    ['A'] = 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23,
        24, 25,
    ['[' ... '^'] = -1,
    ['_'] = 63, -1,
    ['a'] = 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47,
        48, 49, 50, 51,
    ['{' ... 255] = -1,
};
/* clang-format on */

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
