/* svc-utils/hash-generate/expected.c - strips what surrounds a checksum. */
#include "expected.h"

#include <string.h>

#include "base/codec/base64.h"
#include "base/codec/hex.h"
#include "base/num.h"
#include "base/scoped.h"

enum { BYTES_MIN = 4 };

static struct text trim(struct text text)
{
    while (text.size > 0 && strchr(" \t\r\n\"'", text.bytes[0]) && text.bytes[0])
        text = text_skip(text, 1);
    while (text.size > 0 && strchr(" \t\r\n\"'", text.bytes[text.size - 1]) &&
           text.bytes[text.size - 1])
        text.size--;
    return text;
}

/* Skip up to and including the last occurrence of a character within the first `limit` bytes. */
static struct text skip_past(struct text text, char mark, size_t limit)
{
    for (size_t i = MIN(text.size, limit); i > 0; i--)
        if (text.bytes[i - 1] == mark)
            return text_skip(text, i);
    return text;
}

/* "sha256:", "sha384-", "{SHA}", "SHA256 (file) = " */
static struct text skip_algorithm(struct text text)
{
    enum { NAME_MAX = 16, LINE_MAX = 4096 };
    struct text equals = skip_past(text, '=', text.size > 0 ? text.size - 1 : 0);
    if (text.size > 8 && memchr(text.bytes, '(', MIN(text.size, (size_t)NAME_MAX)) &&
        equals.size > BYTES_MIN)
        return trim(equals);
    if (text.size > 2 && text.bytes[0] == '0' && (text.bytes[1] == 'x' || text.bytes[1] == 'X'))
        return text_skip(text, 2);
    if (text.size > 0 && text.bytes[0] == '{')
        return skip_past(text, '}', NAME_MAX);
    static const char *const names[] = { "sha", "md5", "blake", "crc", "xxh", "keccak", "ripemd" };
    for (size_t i = 0; i < countof(names); i++) {
        size_t size = strlen(names[i]);
        if (text.size <= size || strncasecmp(text.bytes, names[i], size) != 0)
            continue;
        for (size_t at = size; at < MIN(text.size, (size_t)NAME_MAX); at++)
            if (text.bytes[at] == ':' || text.bytes[at] == '-')
                if (at + 1 < text.size && text.size - at > 8)
                    return text_skip(text, at + 1);
    }
    return text;
}

/* Hex digits without what is between bytes; false if there is something else. */
static bool read_hex(struct text text, struct buf *bytes)
{
    scoped(buf_free) struct buf digits = BUF(text.size);
    for (size_t i = 0; i < text.size; i++)
        if (text.bytes[i] != ':' && text.bytes[i] != ' ')
            buf_add_byte(&digits, text.bytes[i]);
    return digits.size >= 2 * BYTES_MIN && hex_decode(bytes, buf_text(&digits));
}

/* Without the name of a file behind it. */
static struct text first_word(struct text text)
{
    size_t size = 0;
    while (size < text.size && text.bytes[size] != ' ' && text.bytes[size] != '\t')
        size++;
    return (struct text){ text.bytes, size };
}

bool expected_read(struct text expected, struct buf *bytes, struct err *err)
{
    struct text text = skip_algorithm(trim(expected));
    if (read_hex(text, bytes))
        return true;
    buf_clear(bytes);
    if (read_hex(first_word(text), bytes))
        return true;
    buf_clear(bytes);
    if (base64_decode(bytes, first_word(text)) && bytes->size >= BYTES_MIN)
        return true;
    return err_set(err, ERR_INVALID_VALUE,
                   "expected must be a hash in hex or Base64, at least %d bytes", BYTES_MIN);
}
