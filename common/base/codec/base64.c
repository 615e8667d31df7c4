/* common/base/codec/base64.c - Base64 in both alphabets. */
#include "base/codec/base64.h"

#include <stdint.h>

static const char standard[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

bool base64_encode(struct buf *out, struct text bytes)
{
    size_t length = (bytes.size + 2) / 3 * 4;
    char *room = buf_reserve(out, length);
    if (!room)
        return false;
    for (size_t i = 0; i < bytes.size; i += 3) {
        size_t left = bytes.size - i;
        uint32_t group = (uint32_t)(uint8_t)bytes.bytes[i] << 16;
        if (left > 1)
            group |= (uint32_t)(uint8_t)bytes.bytes[i + 1] << 8;
        if (left > 2)
            group |= (uint8_t)bytes.bytes[i + 2];
        *room++ = standard[group >> 18];
        *room++ = standard[group >> 12 & 63];
        *room++ = left > 1 ? standard[group >> 6 & 63] : '=';
        *room++ = left > 2 ? standard[group & 63] : '=';
    }
    *room = '\0';
    out->size += length;
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

/* Take the padding off the digits; false when the padding does not fit them. */
static bool strip_padding(struct text *text)
{
    size_t padded = text->size;
    while (text->size > 0 && padded - text->size < 2 && text->bytes[text->size - 1] == '=')
        text->size--;
    return padded == text->size || padded % 4 == 0;
}

static bool is_one_alphabet(struct text text)
{
    bool is_standard = false;
    bool is_url = false;
    for (size_t i = 0; i < text.size; i++) {
        if (base64_digit(text.bytes[i]) < 0)
            return false;
        is_standard |= text.bytes[i] == '+' || text.bytes[i] == '/';
        is_url |= text.bytes[i] == '-' || text.bytes[i] == '_';
    }
    return !(is_standard && is_url);
}

/* Digits come in fours that stand for three bytes; two left over stand for one, three for two,
 * and the bits of the last digit that belong to no byte must be 0. */
static bool has_stray_bits(struct text digits)
{
    static const int unused[] = { 0, 0, 15, 3 };
    int mask = unused[digits.size % 4];
    return mask != 0 && (base64_digit(digits.bytes[digits.size - 1]) & mask) != 0;
}

bool base64_decode(struct buf *out, struct text text)
{
    if (!strip_padding(&text) || text.size % 4 == 1 || !is_one_alphabet(text) ||
        has_stray_bits(text))
        return false;
    size_t size = text.size / 4 * 3 + text.size % 4 * 6 / 8;
    char *room = buf_reserve(out, size);
    if (!room)
        return false;
    uint32_t bits = 0;
    unsigned count = 0;
    for (size_t i = 0; i < text.size; i++) {
        bits = bits << 6 | (uint32_t)base64_digit(text.bytes[i]);
        count += 6;
        if (count >= 8) {
            count -= 8;
            *room++ = (char)(bits >> count & 255);
        }
    }
    *room = '\0';
    out->size += size;
    return true;
}
