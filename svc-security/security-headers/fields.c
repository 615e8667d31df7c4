/* svc-security/security-headers/fields.c - structured field values: RFC 9651 section 4.2. */
#include "fields.h"

#include <ctype.h>
#include <string.h>

#include "base/buf.h"
#include "base/codec/hex.h"
#include "base/codec/utf8.h"

enum { INTEGER_DIGITS = 15, DECIMAL_DIGITS = 12, FRACTION_DIGITS = 3 };

struct reader {
    const char *at;
    const char *end;
};

static char peek_char(const struct reader *reader)
{
    return reader->at < reader->end ? *reader->at : '\0';
}

static bool pass_char(struct reader *reader, char wanted)
{
    if (reader->at == reader->end || *reader->at != wanted)
        return false;
    reader->at++;
    return true;
}

static void pass_blanks(struct reader *reader)
{
    while (peek_char(reader) == ' ')
        reader->at++;
}

static void pass_white(struct reader *reader)
{
    while (peek_char(reader) == ' ' || peek_char(reader) == '\t')
        reader->at++;
}

static size_t pass_digits(struct reader *reader)
{
    const char *begin = reader->at;
    while (isdigit((unsigned char)peek_char(reader)))
        reader->at++;
    return (size_t)(reader->at - begin);
}

/* ---- bare items ---- */

static bool read_number(struct reader *reader)
{
    pass_char(reader, '-');
    size_t digits = pass_digits(reader);
    if (!pass_char(reader, '.'))
        return digits > 0 && digits <= INTEGER_DIGITS;
    size_t fraction = pass_digits(reader);
    return digits > 0 && digits <= DECIMAL_DIGITS && fraction > 0 && fraction <= FRACTION_DIGITS;
}

static bool read_string(struct reader *reader)
{
    pass_char(reader, '"');
    while (reader->at < reader->end) {
        char byte = *reader->at++;
        if (byte == '"')
            return true;
        if (byte == '\\' && !pass_char(reader, '"') && !pass_char(reader, '\\'))
            return false;
        if (byte < ' ' || byte > '~')
            return false;
    }
    return false;
}

static bool is_token_byte(char byte)
{
    return isalnum((unsigned char)byte) || (byte && strchr("!#$%&'*+-.^_`|~:/", byte));
}

static bool read_token(struct reader *reader)
{
    while (is_token_byte(peek_char(reader)))
        reader->at++;
    return true;
}

static bool read_bytes(struct reader *reader)
{
    pass_char(reader, ':');
    while (isalnum((unsigned char)peek_char(reader)) || peek_char(reader) == '+' ||
           peek_char(reader) == '/')
        reader->at++;
    while (peek_char(reader) == '=')
        reader->at++;
    return pass_char(reader, ':');
}

static int pass_small_hex(struct reader *reader)
{
    char digit = peek_char(reader);
    bool is_capital = digit >= 'A' && digit <= 'F';
    int value = is_capital ? -1 : hex_digit(digit);
    reader->at += value >= 0;
    return value;
}

/* %"caf%c3%a9": UTF-8 in lower-case hexadecimal digits. */
static bool read_display_string(struct reader *reader)
{
    scoped(buf_free) struct buf text = BUF((size_t)(reader->end - reader->at));
    if (!pass_char(reader, '%') || !pass_char(reader, '"'))
        return false;
    while (!pass_char(reader, '"')) {
        char byte = peek_char(reader);
        if (byte < ' ' || byte > '~')
            return false;
        reader->at++;
        if (byte == '%') {
            int high = pass_small_hex(reader);
            int low = high < 0 ? -1 : pass_small_hex(reader);
            if (low < 0)
                return false;
            byte = (char)(high << 4 | low);
        }
        buf_add_byte(&text, byte);
    }
    return utf8_valid_bytes(buf_text(&text)) == text.size;
}

static bool read_boolean(struct reader *reader)
{
    pass_char(reader, '?');
    return pass_char(reader, '0') || pass_char(reader, '1');
}

static bool read_date(struct reader *reader)
{
    pass_char(reader, '@');
    pass_char(reader, '-');
    size_t digits = pass_digits(reader);
    return digits > 0 && digits <= INTEGER_DIGITS;
}

static bool read_bare_item(struct reader *reader)
{
    char first = peek_char(reader);
    if (first == '-' || isdigit((unsigned char)first))
        return read_number(reader);
    if (first == '*' || isalpha((unsigned char)first))
        return read_token(reader);
    switch (first) {
    case '"':
        return read_string(reader);
    case ':':
        return read_bytes(reader);
    case '%':
        return read_display_string(reader);
    case '?':
        return read_boolean(reader);
    case '@':
        return read_date(reader);
    default:
        return false;
    }
}

/* ---- containers ---- */

static bool read_key(struct reader *reader, struct text *key)
{
    const char *begin = reader->at;
    if (!islower((unsigned char)peek_char(reader)) && peek_char(reader) != '*')
        return false;
    while (islower((unsigned char)peek_char(reader)) || isdigit((unsigned char)peek_char(reader)) ||
           (peek_char(reader) && strchr("_-.*", peek_char(reader))))
        reader->at++;
    *key = (struct text){ begin, (size_t)(reader->at - begin) };
    return true;
}

static bool read_parameters(struct reader *reader)
{
    struct text key;
    while (pass_char(reader, ';')) {
        pass_blanks(reader);
        if (!read_key(reader, &key) || (pass_char(reader, '=') && !read_bare_item(reader)))
            return false;
    }
    return true;
}

static bool read_item(struct reader *reader, struct text *item)
{
    const char *begin = reader->at;
    if (!read_bare_item(reader))
        return false;
    *item = (struct text){ begin, (size_t)(reader->at - begin) };
    return read_parameters(reader);
}

static bool read_inner_list(struct reader *reader, struct text key, field_visit *visit,
                            void *context)
{
    struct text item = { 0 };
    for (pass_blanks(reader); !pass_char(reader, ')'); pass_blanks(reader)) {
        if (!read_item(reader, &item) || (peek_char(reader) != ' ' && peek_char(reader) != ')'))
            return false;
        visit(key, item, context);
    }
    if (!item.bytes)
        visit(key, TEXT(""), context);
    return read_parameters(reader);
}

static bool read_member(struct reader *reader, field_visit *visit, void *context)
{
    struct text key;
    struct text item;
    if (!read_key(reader, &key))
        return false;
    if (!pass_char(reader, '=')) {
        visit(key, TEXT(""), context);
        return read_parameters(reader);
    }
    if (pass_char(reader, '('))
        return read_inner_list(reader, key, visit, context);
    if (!read_item(reader, &item))
        return false;
    visit(key, item, context);
    return true;
}

static struct reader reader_of(struct text text)
{
    struct reader reader = { text.bytes, text.bytes + text.size };
    pass_blanks(&reader);
    while (reader.end > reader.at && reader.end[-1] == ' ')
        reader.end--;
    return reader;
}

bool field_read_token(struct text text, struct text *token)
{
    struct reader reader = reader_of(text);
    char first = peek_char(&reader);
    return (isalpha((unsigned char)first) || first == '*') && read_item(&reader, token) &&
           reader.at == reader.end;
}

bool field_read_dictionary(struct text text, field_visit *visit, void *context)
{
    struct reader reader = reader_of(text);
    while (reader.at < reader.end) {
        if (!read_member(&reader, visit, context))
            return false;
        pass_white(&reader);
        if (reader.at == reader.end)
            return true;
        if (!pass_char(&reader, ','))
            return false;
        pass_white(&reader);
        if (reader.at == reader.end)
            return false; /* trailing comma */
    }
    return true;
}
