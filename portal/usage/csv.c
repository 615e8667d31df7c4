/* portal/usage/csv.c - see csv.h. */
#include "portal/usage/csv.h"

#include <string.h>

#include "base/ascii.h"

static void begin_field(struct buf *out)
{
    if (out->size > 0 && out->bytes[out->size - 1] != '\n')
        buf_add_byte(out, ',');
}

/* Spreadsheets read a value that begins with one of these as a formula. */
static bool is_formula(struct text value)
{
    return value.size > 0 && ascii_is_one_of(value.bytes[0], "=+-@\t\r");
}

static bool is_quoted(struct text value)
{
    for (size_t i = 0; i < value.size; i++)
        if (value.bytes[i] == ',' || value.bytes[i] == '"' || value.bytes[i] == '\r' ||
            value.bytes[i] == '\n')
            return true;
    return false;
}

/* Double each quote. */
static void add_doubled(struct buf *out, struct text value)
{
    while (value.size > 0) {
        const char *quote = memchr(value.bytes, '"', value.size);
        size_t size = quote ? (size_t)(quote - value.bytes) + 1 : value.size;
        buf_add(out, value.bytes, size);
        if (quote)
            buf_add_byte(out, '"');
        value = text_skip(value, size);
    }
}

void csv_text(struct buf *out, struct text value)
{
    bool has_quotes = is_quoted(value);
    begin_field(out);
    if (has_quotes)
        buf_add_byte(out, '"');
    if (is_formula(value))
        buf_add_byte(out, '\'');
    if (has_quotes)
        add_doubled(out, value);
    else
        buf_add(out, value.bytes, value.size);
    if (has_quotes)
        buf_add_byte(out, '"');
}

void csv_number(struct buf *out, struct text digits)
{
    begin_field(out);
    buf_add(out, digits.bytes, digits.size);
}

void csv_end(struct buf *out)
{
    buf_add_str(out, "\r\n");
}
