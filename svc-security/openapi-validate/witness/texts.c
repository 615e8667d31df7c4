/* svc-security/openapi-validate/witness/texts.c - texts of formats; texts that patterns match. */
#include "texts.h"

#include <string.h>

#include "base/ascii.h"
#include "base/codec/hex.h"
#include "base/num.h"

/* ---- formats ---- */

/* clang-format off */
static const struct {
    const char *format;
    const char *text;
} samples[] = {
    { "date-time",             "2026-01-31T12:00:00Z" },
    { "date",                  "2026-01-31" },
    { "time",                  "12:00:00Z" },
    { "duration",              "P1D" },
    { "email",                 "a@example.com" },
    { "idn-email",             "a@example.com" },
    { "hostname",              "example.com" },
    { "idn-hostname",          "example.com" },
    { "ipv4",                  "192.0.2.1" },
    { "ipv6",                  "2001:db8::1" },
    { "uri",                   "https://example.com/a" },
    { "uri-reference",         "/a" },
    { "iri",                   "https://example.com/a" },
    { "iri-reference",         "/a" },
    { "uri-template",          "/a/{b}" },
    { "url",                   "https://example.com/a" },
    { "uuid",                  "12345678-1234-4234-8234-123456789abc" },
    { "json-pointer",          "/a" },
    { "relative-json-pointer", "0" },
    { "regex",                 "a" },
    { "byte",                  "YWJj" },
    { "base64url",             "YWJj" },
    { "int32",                 "1" },
    { "int64",                 "1" },
    { "decimal",               "1.5" },
};
/* clang-format on */

const char *text_of_format(struct text format)
{
    for (size_t i = 0; i < countof(samples); i++)
        if (text_is(format, samples[i].format))
            return samples[i].text;
    return NULL;
}

/* ---- patterns ---- */

enum { NESTING_MAX = 20 };

struct reader {
    struct text rest;
    size_t repeats;
    unsigned depth;
    bool is_bad;
};

static bool begins(const struct reader *reader, char byte)
{
    return reader->rest.size > 0 && reader->rest.bytes[0] == byte;
}

static bool skip_byte(struct reader *reader, char byte)
{
    bool is_there = begins(reader, byte);
    if (is_there)
        reader->rest = text_skip(reader->rest, 1);
    return is_there;
}

static char take_any(struct reader *reader)
{
    char byte = reader->rest.size > 0 ? reader->rest.bytes[0] : '\0';
    reader->is_bad |= reader->rest.size == 0;
    if (reader->rest.size > 0)
        reader->rest = text_skip(reader->rest, 1);
    return byte;
}

static bool is_class(char letter)
{
    return letter != '\0' && strchr("dDsSwWpP", letter);
}

/* A character of a class such as \d. */
static char member_of_class(struct reader *reader, char letter)
{
    static const char members[] = "d0Da s\tSawaW-pAP-";
    if (letter == 'p' || letter == 'P')
        while (reader->rest.size > 0 && take_any(reader) != '}')
            ;
    for (const char *at = members; *at; at++)
        if (*at == letter && at[1] != '\0')
            return at[1] == '\t' ? ' ' : at[1];
    return 'a';
}

/* A character outside of ASCII is replaced, so the text may not match. */
static char take_code_point(struct reader *reader, size_t digits)
{
    unsigned value = 0;
    for (size_t i = 0; i < digits; i++) {
        int digit = hex_digit(take_any(reader));
        reader->is_bad |= digit < 0;
        value = 16 * value + (unsigned)(digit > 0 ? digit : 0);
    }
    reader->is_bad |= value == 0 || value > 126;
    return (char)value;
}

/* What follows a backslash. */
static char take_escape(struct reader *reader)
{
    static const char controls[][2] = {
        { 't', '\t' }, { 'n', '\n' }, { 'r', '\r' }, { 'f', '\f' }
    };
    char letter = take_any(reader);
    for (size_t i = 0; i < countof(controls); i++)
        if (letter == controls[i][0])
            return controls[i][1];
    if (letter == 'x' || letter == 'u')
        return take_code_point(reader, letter == 'x' ? 2 : 4);
    reader->is_bad |= ascii_is_digit((unsigned char)letter) || letter == 'k'; /* a reference */
    return is_class(letter) ? member_of_class(reader, letter) : letter;
}

/* ---- lists in brackets ---- */

struct bracket {
    bool has[128];
    bool is_inverse;
};

static void add_class(struct bracket *bracket, char letter)
{
    bool is_upper = letter == 'D' || letter == 'W' || letter == 'S' || letter == 'P';
    for (int c = 32; c < 127; c++) {
        bool is_digit = c >= '0' && c <= '9';
        bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
        char lower = ascii_lower(letter);
        bool is_in = lower == 'd'   ? is_digit
                     : lower == 'w' ? is_digit || is_letter || c == '_'
                     : lower == 's' ? c == ' '
                                    : is_letter;
        bracket->has[c] |= is_in != is_upper;
    }
}

/* One character of the list, or a whole class: then '\0'. */
static char take_listed(struct reader *reader, struct bracket *bracket)
{
    char c = take_any(reader);
    if (c != '\\')
        return c;
    char letter = reader->rest.size > 0 ? reader->rest.bytes[0] : '\0';
    c = take_escape(reader);
    if (!is_class(letter))
        return letter == 'b' ? '\b' : c;
    add_class(bracket, letter);
    return '\0';
}

static void read_bracket(struct reader *reader, struct bracket *bracket)
{
    bracket->is_inverse = skip_byte(reader, '^');
    while (!reader->is_bad && !skip_byte(reader, ']')) {
        unsigned char first = (unsigned char)take_listed(reader, bracket);
        unsigned char last = first;
        bool is_range = first != '\0' && begins(reader, '-') && reader->rest.size > 1 &&
                        reader->rest.bytes[1] != ']';
        if (is_range) {
            (void)take_any(reader);
            last = (unsigned char)take_listed(reader, bracket);
        }
        for (unsigned c = first; first != '\0' && c <= last && c < 127; c++)
            bracket->has[c] = true;
    }
}

/* The most ordinary character of a list. */
static char pick_listed(struct reader *reader)
{
    static const char ordinary[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                   "-_./ :@+,;=!?#$%&'()*<>[]^`{|}~\"\\";
    struct bracket bracket = { 0 };
    read_bracket(reader, &bracket);
    for (const char *at = ordinary; *at; at++)
        if (bracket.has[(unsigned char)*at] != bracket.is_inverse)
            return *at;
    reader->is_bad = true;
    return '\0';
}

/* ---- atoms and their counts ---- */

/* Bounds of a repeated part; max is SIZE_MAX without one. */
static bool read_braces(struct reader *reader, size_t *min, size_t *max)
{
    struct text rest = text_skip(reader->rest, 1);
    const char *end = memchr(rest.bytes, '}', rest.size);
    struct text inside = { rest.bytes, end ? (size_t)(end - rest.bytes) : 0 };
    struct text upper = inside;
    int64_t least = 0;
    int64_t most = 0;
    struct text lower = text_cut(&upper, ',');
    bool has_comma = inside.size > lower.size;
    if (!end || !num_parse(lower, 65535, &least) ||
        (upper.size > 0 && !num_parse(upper, 65535, &most)))
        return false;
    *min = (size_t)least;
    *max = !has_comma ? *min : upper.size > 0 ? (size_t)most : SIZE_MAX;
    reader->rest = text_skip(rest, inside.size + 1);
    return true;
}

/* How often the part before this place is written. */
static size_t read_count(struct reader *reader)
{
    size_t min = 1;
    size_t max = 1;
    if (skip_byte(reader, '*'))
        min = 0, max = SIZE_MAX;
    else if (skip_byte(reader, '+'))
        max = SIZE_MAX;
    else if (skip_byte(reader, '?'))
        min = 0;
    else if (!begins(reader, '{') || !read_braces(reader, &min, &max))
        return 1;
    if (!skip_byte(reader, '?'))
        (void)skip_byte(reader, '+');
    return MIN(MAX(reader->repeats, min), max);
}

static void read_choices(struct reader *reader, struct buf *out);

/* Is this a lookaround? It adds nothing to the text. */
static bool skip_group_kind(struct reader *reader)
{
    if (!skip_byte(reader, '?'))
        return false;
    if (skip_byte(reader, ':'))
        return false;
    bool is_look = begins(reader, '=') || begins(reader, '!');
    if (skip_byte(reader, '<') && !begins(reader, '=') && !begins(reader, '!')) {
        while (!reader->is_bad && take_any(reader) != '>')
            ; /* the group's name */
        return false;
    }
    (void)take_any(reader);
    return is_look || !reader->is_bad;
}

static void read_group(struct reader *reader, struct buf *out)
{
    bool is_silent = skip_group_kind(reader);
    size_t size = out->size;
    read_choices(reader, out);
    reader->is_bad |= !skip_byte(reader, ')');
    if (is_silent)
        out->size = size;
}

static void read_atom(struct reader *reader, struct buf *out)
{
    if (skip_byte(reader, '^') || skip_byte(reader, '$'))
        return;
    if (skip_byte(reader, '('))
        read_group(reader, out);
    else if (skip_byte(reader, '['))
        buf_add_byte(out, pick_listed(reader));
    else if (skip_byte(reader, '.'))
        buf_add_byte(out, 'a');
    else if (!skip_byte(reader, '\\'))
        buf_add_byte(out, take_any(reader));
    else if (begins(reader, 'b') || begins(reader, 'B'))
        (void)take_any(reader);
    else
        buf_add_byte(out, take_escape(reader));
}

/* Append the last bytes again. */
static void repeat_end(struct buf *out, size_t size, size_t times)
{
    char *copy = buf_reserve(out, size * times);
    for (size_t i = 0; copy && i < times; i++)
        memcpy(copy + i * size, copy - size, size);
    if (copy)
        out->size += size * times;
}

/* Of several choices, the first one is written. */
static void read_choices(struct reader *reader, struct buf *out)
{
    enum { FIRST, LATER } part = FIRST;
    if (++reader->depth > NESTING_MAX)
        reader->is_bad = true;
    while (!reader->is_bad && !out->full && reader->rest.size > 0 && !begins(reader, ')')) {
        size_t size = out->size;
        if (skip_byte(reader, '|')) {
            part = LATER;
            continue;
        }
        read_atom(reader, out);
        size_t atom = out->size - size;
        size_t count = part == FIRST ? read_count(reader) : (read_count(reader), 0);
        out->size = size + (count > 0 ? atom : 0);
        if (count > 1 && atom > 0)
            repeat_end(out, atom, count - 1);
    }
    reader->depth--;
}

bool text_of_pattern(struct text pattern, size_t repeats, struct buf *out)
{
    struct reader reader = { .rest = pattern, .repeats = repeats };
    read_choices(&reader, out);
    return !reader.is_bad && !out->full && reader.rest.size == 0;
}
