/* svc-ai/facts/slug.c - make the last part of a page's URL from its title. */
#include "slug.h"

#include <assert.h>
#include <string.h>
#include <unictype.h>
#include <uninorm.h>

#include "base/ascii.h"
#include "base/codec/hex.h"
#include "base/codec/utf8.h"
#include "base/mem.h"

/* Latin letters that NFKD does not decompose. */
static const struct spelling {
    uint32_t code;
    const char *ascii;
} spellings[] = {
    { 0xDF, "ss" }, { 0x1E9E, "ss" }, { 0xC6, "ae" },  { 0xE6, "ae" },  { 0xD0, "d" },
    { 0xF0, "d" },  { 0xD8, "o" },    { 0xF8, "o" },   { 0xDE, "th" },  { 0xFE, "th" },
    { 0x110, "d" }, { 0x111, "d" },   { 0x126, "h" },  { 0x127, "h" },  { 0x131, "i" },
    { 0x141, "l" }, { 0x142, "l" },   { 0x152, "oe" }, { 0x153, "oe" }, { 0x166, "t" },
    { 0x167, "t" },
};

static const char *spelling_of(uint32_t code)
{
    for (size_t i = 0; i < countof(spellings); i++)
        if (spellings[i].code == code)
            return spellings[i].ascii;
    return NULL;
}

/* Add one code point of NFKD. *is_parted: a hyphen is due before the next letter. */
static void add_code(uint32_t code, bool *is_parted, struct buf *out)
{
    char letter[2] = { ascii_lower((char)(code & 0x7F)), '\0' };
    const char *ascii = code < 0x80 ? letter : spelling_of(code);
    bool is_apostrophe = code == '\'' || code == 0x2019;
    if ((code < 0x80 && !ascii_is_alnum(code)) || !ascii) {
        *is_parted |=
            !is_apostrophe && !uc_is_general_category_withtable((ucs4_t)code, UC_CATEGORY_MASK_M);
        return;
    }
    if (*is_parted && out->size > 0)
        buf_add_byte(out, '-');
    *is_parted = false;
    buf_add_str(out, ascii);
}

static void add_all(struct text title, struct buf *out)
{
    size_t size = 0;
    bool is_parted = false;
    scoped(mem_free) uint8_t *plain =
        title.size > 0
            ? u8_normalize(UNINORM_NFKD, (const uint8_t *)title.bytes, title.size, NULL, &size)
            : NULL;
    struct text rest = { (const char *)plain, plain ? size : 0 };
    for (size_t bytes; rest.size > 0; rest = text_skip(rest, bytes))
        add_code(utf8_next(rest, &bytes), &is_parted, out);
}

void slug_add(struct text title, struct buf *out)
{
    scoped(buf_free) struct buf all = BUF(20 * title.size + 16); /* NFKD: at most 18 times */
    add_all(title, &all);
    const char *bytes = buf_str(&all);
    size_t size = all.size;
    if (size > SLUG_BYTES) {
        size = SLUG_BYTES;
        while (size > 0 && bytes[size] != '-')
            size--;
        size = size > SLUG_BYTES / 2 ? size : SLUG_BYTES;
    }
    while (size > 0 && bytes[size - 1] == '-')
        size--;
    buf_add(out, bytes, size);
}

/* Decode percent-encoded bytes. The caller drops the result if it is not UTF-8. */
static void add_decoded(struct text part, struct buf *out)
{
    for (size_t i = 0; i < part.size; i++) {
        int high = i + 2 < part.size && part.bytes[i] == '%' ? hex_digit(part.bytes[i + 1]) : -1;
        int low = high >= 0 ? hex_digit(part.bytes[i + 2]) : -1;
        if (low >= 0) {
            buf_add_byte(out, (char)(16 * high + low));
            i += 2;
        } else
            buf_add_byte(out, part.bytes[i]);
    }
}

static struct text path_of(struct text url)
{
    const char *scheme = memmem(url.bytes, url.size, "://", 3);
    if (scheme)
        url = text_skip(url, (size_t)(scheme - url.bytes) + 3);
    size_t end = 0;
    while (end < url.size && url.bytes[end] != '?' && url.bytes[end] != '#')
        end++;
    url.size = end;
    text_cut(&url, '/');
    return url;
}

void slug_add_of_url(struct text url, struct buf *out)
{
    struct text path = path_of(url);
    struct text last = TEXT("");
    while (path.size > 0) {
        struct text part = text_cut(&path, '/');
        last = part.size > 0 ? part : last;
    }
    assert(last.bytes); /* a part of the path, or the empty text */
    const char *suffix = memrchr(last.bytes, '.', last.size);
    if (suffix && suffix > last.bytes)
        last.size = (size_t)(suffix - last.bytes);
    scoped(buf_free) struct buf decoded = BUF(last.size + 1);
    add_decoded(last, &decoded);
    if (utf8_is_valid(buf_text(&decoded)))
        slug_add(buf_text(&decoded), out);
}
