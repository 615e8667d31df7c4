/* common/probe/page-reader.c - the tokenizer. Numbers in comments are sections of the HTML
 * standard. */
#include <assert.h>
#include <string.h>

#include "base/ascii.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/text.h"
#include "probe/char-refs.h"
#include "probe/page-private.h"
#include "text/names.h"

enum { FOREIGN_DEPTH = 32 /* nested changes between HTML and svg or math */ };

/* How the content of an element is parsed. */
enum raw_kind { RAW_TEXT, RAW_WITH_REFERENCES, RAW_SCRIPT };

static const struct raw {
    const char *name;
    enum raw_kind kind;
} raws[] = {
    { "iframe", RAW_TEXT },
    { "noembed", RAW_TEXT },
    { "noframes", RAW_TEXT },
    { "noscript", RAW_TEXT },
    { "plaintext", RAW_TEXT },
    { "script", RAW_SCRIPT },
    { "style", RAW_TEXT },
    { "textarea", RAW_WITH_REFERENCES },
    { "title", RAW_WITH_REFERENCES },
    { "xmp", RAW_TEXT },
};

/* A change between HTML and foreign content: the element that caused it. */
struct border {
    const char *name;
    bool is_foreign; /* the content inside */
};

struct page_reader {
    const struct page *page;
    struct text markup;
    size_t at;
    const struct raw *raw; /* the element just opened has raw text; NULL: it does not */
    bool head_ended;
    size_t template_depth;
    size_t border_count;
    struct border border[FOREIGN_DEPTH];
    struct buf scratch; /* tokens point into it; never moves, see page_reader_new() */
    struct names names; /* of the tag's attributes */
    struct page_attribute attribute[PAGE_ATTRIBUTES_MAX];
};

/* ---- the current position ---- */

static struct text rest_at(const struct page_reader *reader, size_t at)
{
    return (struct text){ reader->markup.bytes + at, reader->markup.size - at };
}

static struct text text_between(const struct page_reader *reader, size_t start, size_t end)
{
    return (struct text){ reader->markup.bytes + start, end - start };
}

/* The byte at a position; NUL, which page_new() has replaced everywhere, after the end. */
static char byte_at(const struct page_reader *reader, size_t at)
{
    return at < reader->markup.size ? reader->markup.bytes[at] : '\0';
}

static bool ends_name(char c)
{
    return page_is_blank(c) || c == '/' || c == '>';
}

/* The position of the next such byte; the markup's size if not found. */
static size_t find_byte(const struct page_reader *reader, size_t at, char byte)
{
    struct text rest = rest_at(reader, at);
    const char *found = rest.size > 0 ? memchr(rest.bytes, byte, rest.size) : NULL;
    return found ? (size_t)(found - reader->markup.bytes) : reader->markup.size;
}

static struct text keep_lowercase(struct page_reader *reader, struct text text)
{
    size_t start = reader->scratch.size;
    buf_add(&reader->scratch, text.bytes, text.size);
    char *kept = reader->scratch.bytes + start;
    for (size_t i = 0; i < text.size; i++)
        kept[i] = ascii_lower(kept[i]);
    return (struct text){ kept, text.size };
}

static struct text decode_text(struct page_reader *reader, struct text text, bool is_attribute)
{
    size_t start = reader->scratch.size;
    if (text.size == 0 || !memchr(text.bytes, '&', text.size))
        return text;
    char_refs_decode(text, is_attribute, &reader->scratch);
    assert(!reader->scratch.full);
    return (struct text){ reader->scratch.bytes + start, reader->scratch.size - start };
}

/* ---- svg and math (13.2.6.5): where their rules apply ---- */

/* Names are not empty; comparing the first letter saves a tenth of all time. */
static bool is_name(struct text name, const char *other)
{
    return name.bytes[0] == other[0] && text_is(name, other);
}

static bool is_among(struct text name, const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (is_name(name, names[i]))
            return true;
    return false;
}

static bool is_foreign_here(const struct page_reader *reader)
{
    return reader->border_count > 0 && reader->border[reader->border_count - 1].is_foreign;
}

static void enter_element(struct page_reader *reader, const char *name, bool is_foreign)
{
    if (reader->border_count < FOREIGN_DEPTH)
        reader->border[reader->border_count++] = (struct border){ name, is_foreign };
}

/* HTML elements that end a picture. */
static bool breaks_out(const struct page_token *token)
{
    static const char *const names[] = {
        "b",   "big",  "blockquote", "body",  "br",  "center", "code", "dd",      "div",
        "dl",  "dt",   "em",         "embed", "h1",  "h2",     "h3",   "h4",      "h5",
        "h6",  "head", "hr",         "i",     "img", "li",     "menu", "meta",    "nobr",
        "ol",  "p",    "pre",        "ruby",  "s",   "small",  "span", "strong",  "strike",
        "sub", "sup",  "table",      "tt",    "u",   "ul",     "var",  "listing",
    };
    if (text_is(token->name, "font"))
        return page_attribute(token, "color") || page_attribute(token, "face") ||
               page_attribute(token, "size");
    return is_among(token->name, names, countof(names));
}

static void open_foreign(struct page_reader *reader, struct page_token *token)
{
    static const char *const roots[] = { "svg", "math" };
    static const char *const html_within[] = {
        "annotation-xml", "desc", "foreignobject", "mi", "mn", "mo", "ms", "mtext", "title"
    };
    while (is_foreign_here(reader) && breaks_out(token))
        reader->border_count--;
    bool was_foreign = is_foreign_here(reader);
    const char *const *names = was_foreign ? html_within : roots;
    size_t count = was_foreign ? countof(html_within) : countof(roots);

    token->is_foreign = was_foreign || is_among(token->name, roots, countof(roots));
    for (size_t i = 0; i < count && !token->is_self_closing; i++)
        if (text_is(token->name, names[i]))
            enter_element(reader, names[i], !was_foreign);
}

static void close_foreign(struct page_reader *reader, const struct page_token *token)
{
    for (size_t i = reader->border_count; i-- > 0;)
        if (text_is(token->name, reader->border[i].name)) {
            reader->border_count = i;
            return;
        }
}

/* ---- tags (13.2.5.6 to 13.2.5.40) ---- */

static void skip_blanks(struct page_reader *reader)
{
    while (page_is_blank(byte_at(reader, reader->at)))
        reader->at++;
}

/* Skip what separates attributes; true if its last byte is a /. */
static bool skip_to_attribute(struct page_reader *reader)
{
    bool is_slash = false;
    for (char c; c = byte_at(reader, reader->at), page_is_blank(c) || c == '/'; reader->at++)
        is_slash = c == '/';
    return is_slash;
}

static struct text read_quoted(struct page_reader *reader, char quote)
{
    size_t start = ++reader->at;
    size_t end = find_byte(reader, start, quote);
    reader->at = MIN(end + 1, reader->markup.size);
    return text_between(reader, start, end);
}

/* The value after = and blanks; empty if a > ends the tag. */
static struct text read_value(struct page_reader *reader)
{
    size_t start = reader->at;
    char first = byte_at(reader, start);
    if (first == '"' || first == '\'')
        return read_quoted(reader, first);
    while (reader->at < reader->markup.size && !page_is_blank(byte_at(reader, reader->at)) &&
           byte_at(reader, reader->at) != '>')
        reader->at++;
    return text_between(reader, start, reader->at);
}

/* One attribute, from the first byte of its name, which may be =. */
static struct page_attribute read_attribute(struct page_reader *reader)
{
    struct page_attribute attribute = { .value = TEXT("") };
    size_t start = reader->at++;
    while (reader->at < reader->markup.size && !ends_name(byte_at(reader, reader->at)) &&
           byte_at(reader, reader->at) != '=')
        reader->at++;
    attribute.name = keep_lowercase(reader, text_between(reader, start, reader->at));
    skip_blanks(reader);
    if (byte_at(reader, reader->at) != '=')
        return attribute;
    reader->at++;
    skip_blanks(reader);
    attribute.value = decode_text(reader, read_value(reader), true);
    return attribute;
}

/* All attributes, including the >; false if the markup ends before it. */
static bool read_attributes(struct page_reader *reader, struct page_token *token)
{
    names_drop(&reader->names, 0);
    for (;;) {
        token->is_self_closing = skip_to_attribute(reader);
        if (reader->at >= reader->markup.size)
            return false;
        if (byte_at(reader, reader->at) == '>')
            break;
        struct page_attribute attribute = read_attribute(reader);
        if (token->attribute_count < PAGE_ATTRIBUTES_MAX &&
            names_add(&reader->names, 0, attribute.name))
            reader->attribute[token->attribute_count++] = attribute;
    }
    token->attributes = reader->attribute;
    reader->at++;
    return true;
}

/* From the first letter of its name; false if the markup ends inside it: then it is not a tag. */
static bool read_tag(struct page_reader *reader, enum page_kind kind, struct page_token *token)
{
    size_t start = reader->at;
    while (reader->at < reader->markup.size && !ends_name(byte_at(reader, reader->at)))
        reader->at++;
    token->kind = kind;
    token->name = keep_lowercase(reader, text_between(reader, start, reader->at));
    return read_attributes(reader, token);
}

static bool may_stand_in_head(struct text name)
{
    static const char *const names[] = { "base",  "basefont", "bgsound",  "head",     "html",
                                         "link",  "meta",     "noframes", "noscript", "script",
                                         "style", "template", "title" };
    return is_among(name, names, countof(names));
}

static void record_open(struct page_reader *reader, struct page_token *token)
{
    open_foreign(reader, token);
    if (reader->template_depth == 0 && (token->is_foreign || !may_stand_in_head(token->name)))
        reader->head_ended = true;
    token->in_template = reader->template_depth > 0;
    if (token->is_foreign || (reader->page->is_xml && token->is_self_closing))
        return;
    reader->template_depth += text_is(token->name, "template");
    for (size_t i = 0; i < countof(raws); i++)
        if (is_name(token->name, raws[i].name))
            reader->raw = &raws[i];
}

static void record_close(struct page_reader *reader, struct page_token *token)
{
    bool was_foreign = is_foreign_here(reader);
    close_foreign(reader, token);
    token->is_foreign = was_foreign || is_foreign_here(reader);
    if (reader->template_depth > 0)
        reader->template_depth -= text_is(token->name, "template");
    token->attribute_count = 0;
}

/* ---- text ---- */

/* Does a tag, comment or similar begin at this <? */
static bool begins_markup(const struct page_reader *reader, size_t at)
{
    char next = byte_at(reader, at + 1);
    if (next == '/')
        return at + 2 < reader->markup.size;
    return ascii_is_letter(next) || next == '!' || next == '?';
}

static bool is_all_blank(struct text text)
{
    return page_trim(text).size == 0;
}

static void read_text(struct page_reader *reader, struct page_token *token)
{
    size_t start = reader->at;
    size_t end = find_byte(reader, start, '<');
    while (end < reader->markup.size && !begins_markup(reader, end))
        end = find_byte(reader, end + 1, '<');
    reader->at = end;
    token->kind = PAGE_TEXT;
    token->text = decode_text(reader, text_between(reader, start, end), false);
    token->is_foreign = is_foreign_here(reader);
    if (reader->template_depth == 0 && !is_all_blank(token->text))
        reader->head_ended = true;
}

/* Is </name here, followed by a blank, / or >? */
static bool ends_element(const struct page_reader *reader, size_t at, const char *name)
{
    struct text rest = rest_at(reader, at);
    if (!text_begins(rest, "</"))
        return false;
    return text_begins_any_case(rest_at(reader, at + 2), name) &&
           ends_name(byte_at(reader, at + 2 + strlen(name)));
}

static bool begins_script(const struct page_reader *reader, size_t at)
{
    return text_begins_any_case(rest_at(reader, at), "<script") &&
           ends_name(byte_at(reader, at + 7));
}

/* The end of a script (13.2.5.4 and 13.2.5.18 to 31): after <!--, a nested <script> consumes the
 * next </script>, until -->. */
static size_t find_script_end(const struct page_reader *reader, size_t at)
{
    enum { PLAIN, ESCAPED, DOUBLE_ESCAPED } state = PLAIN;
    for (; at < reader->markup.size; at++) {
        char c = reader->markup.bytes[at];
        if (c == '-' && text_begins(rest_at(reader, at), "-->")) {
            state = PLAIN;
        } else if (c == '<' && ends_element(reader, at, "script")) {
            if (state != DOUBLE_ESCAPED)
                return at;
            state = ESCAPED;
        } else if (c == '<' && state == ESCAPED && begins_script(reader, at)) {
            state = DOUBLE_ESCAPED;
        } else if (c == '<' && state == PLAIN && text_begins(rest_at(reader, at), "<!--")) {
            state = ESCAPED;
            at++; /* its dashes may also be those of --> */
        }
    }
    return reader->markup.size;
}

static size_t find_raw_end(const struct page_reader *reader, const struct raw *raw)
{
    if (raw->kind == RAW_SCRIPT)
        return find_script_end(reader, reader->at);
    size_t end = find_byte(reader, reader->at, '<');
    while (end < reader->markup.size && !ends_element(reader, end, raw->name))
        end = find_byte(reader, end + 1, '<');
    return end;
}

/* The text of the element just opened; false if it has none. */
static bool read_raw(struct page_reader *reader, struct page_token *token)
{
    const struct raw *raw = reader->raw;
    size_t start = reader->at;
    size_t end = find_raw_end(reader, raw);
    struct text text = text_between(reader, start, end);

    reader->raw = NULL;
    reader->at = end;
    token->kind = PAGE_TEXT;
    token->name = text_of(raw->name);
    token->text = raw->kind == RAW_WITH_REFERENCES ? decode_text(reader, text, false) : text;
    return end > start;
}

/* ---- comments and declarations (13.2.5.41 to 13.2.5.71) ---- */

static void read_to(struct page_reader *reader, enum page_kind kind, size_t start, size_t end,
                    size_t after, struct page_token *token)
{
    token->kind = kind;
    token->text = text_between(reader, start, end);
    reader->at = MIN(after, reader->markup.size);
}

/* After <!--: up to --> or --!>, or directly > or ->. */
static void read_comment(struct page_reader *reader, struct page_token *token)
{
    size_t start = reader->at + 4;
    if (text_begins(rest_at(reader, start), ">")) {
        read_to(reader, PAGE_COMMENT, start, start, start + 1, token);
        return;
    }
    if (text_begins(rest_at(reader, start), "->")) {
        read_to(reader, PAGE_COMMENT, start, start, start + 2, token);
        return;
    }
    for (size_t end = start;; end++) {
        end = find_byte(reader, end, '-');
        struct text rest = rest_at(reader, end);
        bool is_plain = text_begins(rest, "-->");
        if (rest.size == 0 || is_plain || text_begins(rest, "--!>")) {
            read_to(reader, PAGE_COMMENT, start, end, end + (is_plain ? 3 : 4), token);
            return;
        }
    }
}

static void read_doctype(struct page_reader *reader, struct page_token *token)
{
    const size_t word = strlen("<!doctype");
    size_t end = find_byte(reader, reader->at, '>');
    struct text rest = text_between(reader, reader->at + word, end);
    read_to(reader, PAGE_DOCTYPE, end, end, end + 1, token);
    page_word(&rest, &token->name);
    token->name = keep_lowercase(reader, token->name);
    token->text = page_trim(rest);
}

static void read_cdata(struct page_reader *reader, struct page_token *token)
{
    size_t start = reader->at + strlen("<![CDATA[");
    struct text rest = rest_at(reader, start);
    const char *end = rest.size > 0 ? memmem(rest.bytes, rest.size, "]]>", 3) : NULL;
    size_t size = end ? (size_t)(end - rest.bytes) : rest.size;
    read_to(reader, PAGE_TEXT, start, start + size, start + size + 3, token);
}

static void read_declaration(struct page_reader *reader, struct page_token *token)
{
    struct text rest = rest_at(reader, reader->at);
    if (text_begins(rest, "<!--"))
        read_comment(reader, token);
    else if (text_begins_any_case(rest, "<!doctype"))
        read_doctype(reader, token);
    else if (text_begins_any_case(rest, "<![cdata[") &&
             (is_foreign_here(reader) || reader->page->is_xml))
        read_cdata(reader, token);
    else { /* a bogus comment */
        size_t end = find_byte(reader, reader->at, '>');
        size_t start = MIN(reader->at + (byte_at(reader, reader->at + 1) == '?' ? 1 : 2), end);
        read_to(reader, PAGE_COMMENT, start, end, end + 1, token);
    }
}

/* ---- tokens ---- */

/* The token that begins with this <; false if it is not a token: </> or an unclosed tag. */
static bool read_markup(struct page_reader *reader, struct page_token *token)
{
    char next = byte_at(reader, reader->at + 1);
    if (ascii_is_letter(next)) {
        reader->at++;
        if (!read_tag(reader, PAGE_OPEN, token))
            return false;
        record_open(reader, token);
        return true;
    }
    if (next == '/' && ascii_is_letter(byte_at(reader, reader->at + 2))) {
        reader->at += 2;
        if (!read_tag(reader, PAGE_CLOSE, token))
            return false;
        record_close(reader, token);
        return true;
    }
    if (next == '/' && byte_at(reader, reader->at + 2) == '>') {
        reader->at += 3;
        return false;
    }
    read_declaration(reader, token);
    return true;
}

static bool read_token(struct page_reader *reader, struct page_token *token)
{
    buf_clear(&reader->scratch);
    *token = (struct page_token){ .offset = reader->at, .name = TEXT(""), .text = TEXT("") };
    if (reader->raw)
        return read_raw(reader, token);
    if (byte_at(reader, reader->at) == '<' && begins_markup(reader, reader->at))
        return read_markup(reader, token);
    read_text(reader, token);
    return true;
}

bool page_next(struct page_reader *reader, struct page_token *token)
{
    while (reader->at < reader->markup.size) {
        if (!read_token(reader, token))
            continue;
        token->in_head = !reader->head_ended;
        token->in_template |= reader->template_depth > 0 && token->kind != PAGE_OPEN;
        return true;
    }
    *token = (struct page_token){ .offset = reader->at, .name = TEXT(""), .text = TEXT("") };
    return false;
}

struct page_reader *page_reader_new(const struct page *page)
{
    struct page_reader *reader = mem_new(sizeof(*reader));
    size_t size = 2 * page->markup.size; /* decoded text is at most half as long again */
    reader->page = page;
    reader->markup = page->markup;
    reader->scratch = (struct buf)BUF(size);
    buf_reserve(&reader->scratch, size); /* at once, so that it never moves */
    return reader;
}

void page_reader_free(struct page_reader **reader)
{
    if (!*reader)
        return;
    buf_free(&(*reader)->scratch);
    names_free(&(*reader)->names);
    mem_free(reader);
}

bool page_opens(const struct page_token *token, const char *name)
{
    return token->kind == PAGE_OPEN && !token->is_foreign && text_is(token->name, name);
}

bool page_closes(const struct page_token *token, const char *name)
{
    return token->kind == PAGE_CLOSE && !token->is_foreign && text_is(token->name, name);
}

const struct text *page_attribute(const struct page_token *token, const char *name)
{
    for (size_t i = 0; i < token->attribute_count; i++)
        if (text_is(token->attributes[i].name, name))
            return &token->attributes[i].value;
    return NULL;
}
