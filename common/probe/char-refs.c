/* common/probe/char-refs.c - replaces character references. */
#include "probe/char-refs.h"

#include <string.h>

#include "base/ascii.h"
#include "base/codec/hex.h"
#include "base/codec/utf8.h"
#include "base/num.h"

enum { REPLACEMENT = 0xFFFD, LAST_CODE_POINT = 0x10FFFF };

/* Numbers 0x80 to 0x9F are characters of windows-1252 (HTML standard, 13.2.5.80). */
/* clang-format off */
static const uint16_t windows_1252[32] = {
    0x20AC, 0x81,   0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021,
    0x02C6, 0x2030, 0x0160, 0x2039, 0x0152, 0x8D,   0x017D, 0x8F,
    0x90,   0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014,
    0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0x9D,   0x017E, 0x0178,
};
/* clang-format on */

/* The first row of [low, high), whose names are equal before this place, that has at least byte
 * there. */
static size_t find_byte(size_t low, size_t high, size_t place, unsigned byte)
{
    while (low < high) {
        size_t middle = (low + high) / 2;
        if ((unsigned char)char_refs[middle].name[place] < byte)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The longest name at the start of text; NULL if not found. */
static const struct char_ref *find_name(struct text text)
{
    const struct char_ref *found = NULL;
    size_t first = 0;
    size_t last = char_refs_count;
    for (size_t place = 0; place < text.size && text.bytes[place] != '\0'; place++) {
        unsigned byte = (unsigned char)text.bytes[place];
        first = find_byte(first, last, place, byte);
        last = find_byte(first, last, place, byte + 1);
        if (first == last)
            break;
        if (char_refs[first].name[place + 1] == '\0') /* the shortest match */
            found = &char_refs[first];
    }
    return found;
}

/* A name after &: the number of its bytes; 0 if not found. */
static size_t decode_name(struct text text, bool is_attribute, struct buf *out)
{
    const struct char_ref *ref = find_name(text);
    if (!ref)
        return 0;
    size_t size = strlen(ref->name);
    bool is_open = ref->name[size - 1] != ';';
    if (is_attribute && is_open && size < text.size &&
        (text.bytes[size] == '=' || ascii_is_alnum(text.bytes[size])))
        return 0;
    buf_add_str(out, ref->text);
    return size;
}

static uint32_t character_of(uint32_t number)
{
    if (number >= 0x80 && number < 0x80 + countof(windows_1252))
        return windows_1252[number - 0x80];
    if (number == 0 || number > LAST_CODE_POINT || (number >= 0xD800 && number <= 0xDFFF))
        return REPLACEMENT;
    return number;
}

/* A number after &, "#38;" or "#x26;": the number of its bytes; 0 if not found. */
static size_t decode_number(struct text text, struct buf *out)
{
    bool is_hex = text.size > 1 && (text.bytes[1] | 0x20) == 'x';
    uint32_t base = is_hex ? 16 : 10;
    size_t start = is_hex ? 2 : 1;
    size_t at = start;
    uint32_t number = 0;
    for (; at < text.size; at++) {
        int digit = hex_digit(text.bytes[at]);
        if (digit < 0 || (uint32_t)digit >= base)
            break;
        number = MIN(number * base + (uint32_t)digit, LAST_CODE_POINT + 1);
    }
    if (at == start)
        return 0;
    utf8_add(out, character_of(number));
    return at + (at < text.size && text.bytes[at] == ';');
}

void char_refs_decode(struct text text, bool is_attribute, struct buf *out)
{
    while (text.size > 0) {
        const char *sign = memchr(text.bytes, '&', text.size);
        size_t plain = sign ? (size_t)(sign - text.bytes) + 1 : text.size;
        struct text rest = { text.bytes + plain, text.size - plain };
        size_t taken = 0;

        buf_add(out, text.bytes, plain - (sign != NULL));
        if (sign && rest.size > 0)
            taken = rest.bytes[0] == '#' ? decode_number(rest, out)
                                         : decode_name(rest, is_attribute, out);
        if (sign && taken == 0)
            buf_add_byte(out, '&');
        text = (struct text){ rest.bytes + taken, rest.size - taken };
    }
}
