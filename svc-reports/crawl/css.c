/* svc-reports/crawl/css.c - parse style sheets for the URLs that they load. Numbers in comments are
 * sections of CSS Syntax Level 3. */
#include "crawl/css.h"

#include <string.h>

#include "base/ascii.h"
#include "base/buf.h"
#include "base/codec/hex.h"
#include "base/codec/utf8.h"
#include "crawl/media.h"

enum { NAME_BYTES = 40, DEPTH_MAX = 64, MEDIA_BYTES = 1024 };

enum css_kind {
    CSS_END,
    CSS_NAME,    /* identifier, or a function name before ( */
    CSS_AT_NAME, /* at-keyword */
    CSS_STRING,
    CSS_URL,  /* url(…), quoted or not */
    CSS_BYTE, /* any other byte, such as { } ( ) ; : , */
};

struct css_token {
    enum css_kind kind;
    char byte;                 /* of CSS_BYTE */
    char name[NAME_BYTES];     /* lower case, truncated */
    size_t start;              /* offset in the sheet */
    char value[CSS_URL_BYTES]; /* of CSS_STRING and CSS_URL */
    size_t value_bytes;
    bool is_cut; /* the value was truncated */
};

struct css_reader {
    struct text sheet;
    size_t at;
    css_found *found;
    void *context;
    struct css_token token;
    /* of the current @font-face */
    char font[CSS_URL_BYTES];
    size_t font_bytes;
    bool has_woff2;
    bool excludes_latin; /* its unicode-range has no Latin letters */
};

/* ---- bytes ---- */

static char byte_at(const struct css_reader *reader, size_t at)
{
    return at < reader->sheet.size ? reader->sheet.bytes[at] : '\0';
}

static bool is_end(const struct css_reader *reader)
{
    return reader->at >= reader->sheet.size;
}

static bool is_name_byte(char byte)
{
    return ascii_is_alnum(byte) || byte == '-' || byte == '_' || (unsigned char)byte >= 0x80;
}

static void skip_blanks(struct css_reader *reader)
{
    while (!is_end(reader) && ascii_is_space(byte_at(reader, reader->at)))
        reader->at++;
}

/* See 4.3.2. */
static void skip_blanks_and_comments(struct css_reader *reader)
{
    for (;;) {
        skip_blanks(reader);
        if (byte_at(reader, reader->at) != '/' || byte_at(reader, reader->at + 1) != '*')
            return;
        struct text rest = text_skip(reader->sheet, reader->at + 2);
        const char *end = rest.size > 0 ? memmem(rest.bytes, rest.size, "*/", 2) : NULL;
        reader->at = end ? (size_t)(end - reader->sheet.bytes) + 2 : reader->sheet.size;
    }
}

/* ---- values ---- */

static void add_byte(struct css_token *token, char byte)
{
    if (token->value_bytes < sizeof(token->value))
        token->value[token->value_bytes++] = byte;
    else
        token->is_cut = true;
}

static void add_code_point(struct css_token *token, uint32_t code)
{
    scoped(buf_free) struct buf bytes = BUF(8);
    bool is_none = code == 0 || code > 0x10FFFF || (code >= 0xD800 && code <= 0xDFFF);
    utf8_add(&bytes, is_none ? 0xFFFD : code);
    for (size_t i = 0; i < bytes.size; i++)
        add_byte(token, bytes.bytes[i]);
}

/* The part after the backslash (4.3.7). */
static void read_escape(struct css_reader *reader, struct css_token *token)
{
    enum { DIGITS_MAX = 6 };
    uint32_t code = 0;
    int digits = 0;
    while (digits < DIGITS_MAX && hex_digit(byte_at(reader, reader->at)) >= 0) {
        code = code * 16 + (uint32_t)hex_digit(byte_at(reader, reader->at++));
        digits++;
    }
    if (digits > 0) {
        add_code_point(token, code);
        if (ascii_is_space(byte_at(reader, reader->at)))
            reader->at++;
    } else if (!is_end(reader)) {
        char byte = byte_at(reader, reader->at++);
        if (byte != '\n') /* an escaped newline continues the string */
            add_byte(token, byte);
    }
}

static void read_until(struct css_reader *reader, struct css_token *token, char end)
{
    while (!is_end(reader)) {
        char byte = byte_at(reader, reader->at++);
        if (byte == end)
            return;
        if (byte == '\\')
            read_escape(reader, token);
        else
            add_byte(token, byte);
    }
}

/* The part after "url(" (4.3.6): quoted, or everything up to the bracket. */
static void read_url(struct css_reader *reader, struct css_token *token)
{
    token->kind = CSS_URL;
    skip_blanks(reader);
    char quote = byte_at(reader, reader->at);
    if (quote == '"' || quote == '\'') {
        reader->at++;
        read_until(reader, token, quote);
        while (!is_end(reader) && byte_at(reader, reader->at++) != ')')
            ;
    } else {
        read_until(reader, token, ')');
    }
    while (token->value_bytes > 0 && ascii_is_space(token->value[token->value_bytes - 1]))
        token->value_bytes--;
}

static void read_name(struct css_reader *reader, struct css_token *token)
{
    size_t size = 0;
    while (is_name_byte(byte_at(reader, reader->at)) && !is_end(reader)) {
        if (size < NAME_BYTES - 1)
            token->name[size++] = ascii_lower(byte_at(reader, reader->at));
        reader->at++;
    }
    token->name[size] = '\0';
}

static const struct css_token *next_token(struct css_reader *reader)
{
    struct css_token *token = &reader->token;
    token->kind = CSS_END;
    token->name[0] = token->byte = '\0';
    token->value_bytes = 0;
    token->is_cut = false;
    skip_blanks_and_comments(reader);
    token->start = reader->at;
    if (is_end(reader))
        return token;
    char byte = byte_at(reader, reader->at);
    if (is_name_byte(byte)) {
        token->kind = CSS_NAME;
        read_name(reader, token);
        if (strcmp(token->name, "url") == 0 && byte_at(reader, reader->at) == '(') {
            reader->at++;
            read_url(reader, token);
        }
        return token;
    }
    reader->at++;
    if (byte == '@') {
        token->kind = CSS_AT_NAME;
        read_name(reader, token);
    } else if (byte == '"' || byte == '\'') {
        token->kind = CSS_STRING;
        read_until(reader, token, byte);
    } else {
        token->kind = CSS_BYTE;
        token->byte = byte;
        if (byte == '\\' && !is_end(reader)) /* names with escapes are not relevant */
            reader->at++;
    }
    return token;
}

static bool is_byte(const struct css_token *token, char byte)
{
    return token->kind == CSS_BYTE && token->byte == byte;
}

static struct text value_of(const struct css_token *token)
{
    return (struct text){ token->value, token->value_bytes };
}

static void emit_url(struct css_reader *reader, enum css_use use, struct text url, bool is_cut)
{
    url = text_trim(url);
    if (!is_cut && url.size > 0 && !text_begins_any_case(url, "data:"))
        reader->found(use, url, reader->context);
}

/* ---- rules ---- */

/* Read the text before the { or ; of an at-rule; the next token is the { or ;. */
static struct text read_prelude(struct css_reader *reader)
{
    size_t start = reader->at;
    for (;;) {
        const struct css_token *token = next_token(reader);
        if (token->kind == CSS_END || is_byte(token, '{') || is_byte(token, ';') ||
            is_byte(token, '}')) {
            reader->at = token->start;
            return text_trim((struct text){ reader->sheet.bytes + start, token->start - start });
        }
    }
}

/* Skip a block, whose { is the next token, or a statement up to its ;. */
static void skip_block(struct css_reader *reader)
{
    size_t depth = 0;
    for (;;) {
        const struct css_token *token = next_token(reader);
        if (token->kind == CSS_END || (depth == 0 && is_byte(token, ';')))
            return;
        if (is_byte(token, '{'))
            depth++;
        if (is_byte(token, '}') && (depth == 0 || --depth == 0))
            return;
    }
}

static void read_import(struct css_reader *reader)
{
    char url[CSS_URL_BYTES];
    const struct css_token *token = next_token(reader);
    bool is_url = token->kind == CSS_URL || token->kind == CSS_STRING;
    bool is_cut = token->is_cut;
    size_t size = is_url ? token->value_bytes : 0;
    memcpy(url, token->value, size);
    if (!is_url) {
        reader->at = token->start;
        skip_block(reader);
        return;
    }
    struct text media = read_prelude(reader);
    bool has_condition =
        text_begins_any_case(media, "layer") || text_begins_any_case(media, "supports");
    if (has_condition || media_fits(media))
        emit_url(reader, CSS_IMPORT, (struct text){ url, size }, is_cut);
}

/* ---- fonts ---- */

/* Is the letter "a" in one of the ranges, such as "U+0000-00FF, U+26, U+4??"? */
static bool has_latin(struct text ranges)
{
    enum { LETTER = 'a' };
    while (ranges.size > 0) {
        struct text range = text_trim(text_cut(&ranges, ','));
        uint32_t low = 0;
        uint32_t high = 0;
        bool is_second = false;
        if (!text_begins_any_case(range, "u+"))
            continue;
        for (size_t i = 2; i < range.size; i++) {
            int digit = hex_digit(range.bytes[i]);
            bool is_any = range.bytes[i] == '?';
            if (range.bytes[i] == '-') {
                is_second = true;
                high = 0;
                continue;
            }
            if (digit < 0 && !is_any)
                break;
            if (!is_second)
                low = low << 4 | (is_any ? 0 : (uint32_t)digit);
            high = high << 4 | (is_any ? 15 : (uint32_t)digit);
        }
        if (low <= LETTER && LETTER <= high)
            return true;
    }
    return false;
}

/* Of "url(a) format('woff2'), url(b)", keep the format that a browser would choose: the first one
 * that it supports, woff2 preferred. */
static void note_font(struct css_reader *reader, const struct css_token *url)
{
    size_t size = url->value_bytes;
    char value[CSS_URL_BYTES];
    bool is_cut = url->is_cut;
    memcpy(value, url->value, size);
    struct text text = { value, size };
    bool is_woff2 = text_has_any_case(text, ".woff2");
    bool is_old = text_has_any_case(text, ".eot") || text_has_any_case(text, ".svg");
    const struct css_token *token = next_token(reader);
    if (token->kind == CSS_NAME && strcmp(token->name, "format") == 0) {
        next_token(reader);         /* the ( */
        token = next_token(reader); /* 'woff2' or the identifier */
        struct text form = token->kind == CSS_STRING ? value_of(token) : text_of(token->name);
        is_woff2 = text_begins_any_case(form, "woff2");
        is_old = text_is_any_case(form, "embedded-opentype") || text_is_any_case(form, "svg");
    } else {
        reader->at = token->start;
    }
    bool is_better = is_woff2 ? !reader->has_woff2 : reader->font_bytes == 0;
    if (is_old || is_cut || !is_better)
        return;
    memcpy(reader->font, value, size);
    reader->font_bytes = size;
    reader->has_woff2 = is_woff2;
}

static void read_font_face(struct css_reader *reader)
{
    reader->font_bytes = 0;
    reader->has_woff2 = reader->excludes_latin = false;
    skip_blanks_and_comments(reader);
    if (byte_at(reader, reader->at) != '{')
        return;
    reader->at++;
    for (;;) {
        const struct css_token *token = next_token(reader);
        if (token->kind == CSS_END || is_byte(token, '}'))
            break;
        if (token->kind == CSS_URL)
            note_font(reader, token);
        else if (token->kind == CSS_NAME && strcmp(token->name, "unicode-range") == 0 &&
                 byte_at(reader, reader->at) == ':') {
            reader->at++;
            reader->excludes_latin = !has_latin(read_prelude(reader));
        }
    }
    if (!reader->excludes_latin)
        emit_url(reader, CSS_FONT, (struct text){ reader->font, reader->font_bytes }, false);
}

/* ---- sheets ---- */

static void read_at_rule(struct css_reader *reader)
{
    char name[NAME_BYTES];
    memcpy(name, reader->token.name, sizeof(name));
    if (strcmp(name, "import") == 0)
        read_import(reader);
    else if (strcmp(name, "font-face") == 0)
        read_font_face(reader);
    else if (strcmp(name, "media") == 0) {
        if (!media_fits(read_prelude(reader)))
            skip_block(reader);
    } else if (strcmp(name, "namespace") == 0) /* its url() is a name and loads nothing */
        skip_block(reader);
}

static void read_sheet(struct css_reader *reader)
{
    for (;;) {
        const struct css_token *token = next_token(reader);
        if (token->kind == CSS_END)
            return;
        if (token->kind == CSS_AT_NAME)
            read_at_rule(reader);
        else if (token->kind == CSS_URL && !text_begins(value_of(token), "#"))
            emit_url(reader, CSS_IMAGE, value_of(token), token->is_cut);
    }
}

void css_read(struct text sheet, css_found *found, void *context)
{
    struct css_reader reader = { .sheet = sheet, .found = found, .context = context };
    read_sheet(&reader);
}
