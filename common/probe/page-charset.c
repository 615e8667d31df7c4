/* common/probe/page-charset.c - encodings with glibc's iconv, which supports all encodings of the
 * web. */
#include "probe/page-charset.h"

#include <errno.h>
#include <iconv.h>
#include <string.h>

#include "base/ascii.h"
#include "base/codec/utf8.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/table.h"
#include "base/text.h"
#include "probe/page-text.h"

#define REPLACEMENT "\xEF\xBF\xBD" /* U+FFFD */

enum {
    LABEL_MAX_BYTES = 40, /* longer than the longest */
    PIECE_BYTES = 4096,   /* maximum input of one iconv() call */
};

static const struct encoding {
    const char *name;
    const char *iconv;
} encodings[] = {
#define ENCODING(name, iconv) { name, iconv },
#define LABEL(label, name)
#include "probe/charset.def"
};

static const struct label {
    const char *label;
    const char *name;
} labels[] = {
#define ENCODING(name, iconv) { name, name },
#define LABEL(label, name)    { label, name },
#include "probe/charset.def"
};

const char *page_charset_of(struct text label)
{
    char lower[LABEL_MAX_BYTES] = "";
    label = page_trim(label);
    if (label.size >= sizeof(lower))
        return NULL;
    for (size_t i = 0; i < label.size; i++) {
        lower[i] = ascii_lower(label.bytes[i]);
    }
    const struct label *found = TABLE_FIND(labels, lower);
    return found ? found->name : NULL;
}

static void skip_blanks(struct text *text)
{
    while (text->size > 0 && page_is_blank(text->bytes[0]))
        *text = text_skip(*text, 1);
}

/* The label after "charset" and =, as in the HTML standard (section 2.6.5). */
static struct text label_after_equals(struct text text)
{
    char quote = text.size > 0 ? text.bytes[0] : '\0';
    bool is_quoted = quote == '"' || quote == '\'';
    size_t end = 0;

    if (is_quoted)
        text = text_skip(text, 1);
    while (end < text.size &&
           (is_quoted ? text.bytes[end] != quote
                      : !page_is_blank(text.bytes[end]) && text.bytes[end] != ';'))
        end++;
    return (struct text){ text.bytes, end };
}

const char *page_charset_of_type(struct text content_type)
{
    const struct text word = TEXT("charset");
    struct text rest = content_type;
    while (rest.size >= word.size) {
        if (strncasecmp(rest.bytes, word.bytes, word.size) != 0) {
            rest = text_skip(rest, 1);
            continue;
        }
        rest = text_skip(rest, word.size);
        skip_blanks(&rest);
        if (rest.size == 0 || rest.bytes[0] != '=')
            continue;
        rest = text_skip(rest, 1);
        skip_blanks(&rest);
        return page_charset_of(label_after_equals(rest));
    }
    return NULL;
}

const char *page_charset_of_mark(struct text body, size_t *mark_bytes)
{
    static const struct {
        struct text mark;
        const char *name;
    } marks[] = {
        { TEXT("\xEF\xBB\xBF"), "utf-8" },
        { TEXT("\xFF\xFE"), "utf-16le" },
        { TEXT("\xFE\xFF"), "utf-16be" },
    };
    for (size_t i = 0; i < countof(marks); i++)
        if (body.size >= marks[i].mark.size &&
            memcmp(body.bytes, marks[i].mark.bytes, marks[i].mark.size) == 0) {
            *mark_bytes = marks[i].mark.size;
            return marks[i].name;
        }
    return NULL;
}

/* ---- decoding ---- */

static void add_without_nul(struct text text, struct buf *out)
{
    while (text.size > 0) {
        const char *nul = memchr(text.bytes, '\0', text.size);
        size_t plain = nul ? (size_t)(nul - text.bytes) : text.size;
        buf_add(out, text.bytes, plain);
        if (nul)
            buf_add_str(out, REPLACEMENT);
        text = text_skip(text, plain + (nul != NULL));
    }
}

static void decode_utf8(struct text body, struct buf *out)
{
    while (body.size > 0) {
        size_t valid = utf8_valid_bytes(body);
        add_without_nul((struct text){ body.bytes, valid }, out);
        if (valid < body.size)
            buf_add_str(out, REPLACEMENT);
        body = text_skip(body, valid + (valid < body.size));
    }
}

/* unit: bytes to skip if they cannot be decoded. */
static void decode_iconv(iconv_t iconv_to_utf8, struct text body, size_t unit, struct buf *out)
{
    char part[4096];
    scoped(mem_free) char *copy = mem_dup(body.bytes, body.size); /* iconv() wants char * */
    char *from = copy;
    size_t left = body.size;

    while (left > 0) {
        char *to = part;
        size_t room = sizeof(part);
        size_t given =
            MIN(left, (size_t)PIECE_BYTES); /* otherwise memory checkers make it quadratic */
        size_t rest = given;
        errno = 0;
        size_t done = iconv(iconv_to_utf8, &from, &rest, &to, &room);
        /* a character that the piece cuts is complete in the next one */
        bool is_half = errno == EINVAL && rest < given;
        bool is_bad = done == (size_t)-1 && errno != E2BIG && !is_half;
        add_without_nul((struct text){ part, (size_t)(to - part) }, out);
        left -= given - rest;
        if (!is_bad)
            continue;
        size_t passed = MIN(left, unit);
        buf_add_str(out, REPLACEMENT);
        from += passed;
        left -= passed;
    }
    char *to = part; /* kept back in case a mark follows */
    size_t room = sizeof(part);
    iconv(iconv_to_utf8, NULL, NULL, &to, &room);
    add_without_nul((struct text){ part, (size_t)(to - part) }, out);
}

void page_charset_decode(struct text body, const char *charset, struct buf *out)
{
    const struct encoding *encoding = TABLE_FIND(encodings, charset);
    iconv_t opened = (iconv_t)-1;
    if (encoding && strcmp(encoding->name, "utf-8") != 0)
        opened = iconv_open("UTF-8", encoding->iconv);
    if (opened == (iconv_t)-1) { /* also if the system has no tables for it */
        decode_utf8(body, out);
        return;
    }
    decode_iconv(opened, body, strncmp(charset, "utf-16", 6) == 0 ? 2 : 1, out);
    iconv_close(opened);
}
