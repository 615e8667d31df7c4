/* svc-email/message/transfer.c - read transfer encodings. */
#include "message/transfer.h"

#include "base/ascii.h"
#include "base/codec/base64.h"
#include "base/codec/hex.h"

bool transfer_base64(struct text text, struct buf *out)
{
    unsigned bits = 0;
    unsigned count = 0; /* digits in bits */
    bool is_clean = true;
    size_t at = 0;

    for (; at < text.size && text.bytes[at] != '='; at++) {
        int digit = base64_digit(text.bytes[at]);
        if (digit < 0) {
            is_clean &= ascii_is_space(text.bytes[at]);
            continue;
        }
        bits = bits << 6 | (unsigned)digit;
        if (++count < 4)
            continue;
        buf_add_byte(out, (char)(bits >> 16 & 0xFF));
        buf_add_byte(out, (char)(bits >> 8 & 0xFF));
        buf_add_byte(out, (char)(bits & 0xFF));
        bits = count = 0;
    }
    if (count >= 2)
        buf_add_byte(out, (char)((count == 2 ? bits >> 4 : bits >> 10) & 0xFF));
    if (count == 3)
        buf_add_byte(out, (char)(bits >> 2 & 0xFF));
    for (; at < text.size; at++)
        is_clean &= text.bytes[at] == '=' || ascii_is_space(text.bytes[at]);
    return is_clean && count != 1;
}

/* Bytes of a soft line break at the beginning: =, blanks and a line end. */
static size_t soft_break(struct text text)
{
    size_t end = 1;
    while (end < text.size && (text.bytes[end] == ' ' || text.bytes[end] == '\t'))
        end++;
    if (end == text.size)
        return end;
    if (text.bytes[end] == '\n')
        return end + 1;
    if (text.bytes[end] != '\r')
        return 0;
    return end + 1 < text.size && text.bytes[end + 1] == '\n' ? end + 2 : end + 1;
}

bool transfer_quoted(struct text text, bool is_header, struct buf *out)
{
    bool is_clean = true;
    while (text.size > 0) {
        char byte = text.bytes[0];
        size_t soft;
        if (byte != '=') {
            buf_add_byte(out, is_header && byte == '_' ? ' ' : byte);
            text = text_skip(text, 1);
        } else if (text.size >= 3 && hex_digit(text.bytes[1]) >= 0 &&
                   hex_digit(text.bytes[2]) >= 0) {
            buf_add_byte(out, (char)(hex_digit(text.bytes[1]) * 16 + hex_digit(text.bytes[2])));
            text = text_skip(text, 3);
        } else if (!is_header && (soft = soft_break(text)) > 0) {
            text = text_skip(text, soft);
        } else {
            buf_add_byte(out, '=');
            is_clean = false;
            text = text_skip(text, 1);
        }
    }
    return is_clean;
}
