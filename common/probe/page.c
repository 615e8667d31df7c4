/* common/probe/page.c - a page: its encoding, its base. Numbers in comments are sections of the
 * HTML standard. */
#include "probe/page.h"

#include <assert.h>
#include <string.h>

#include "base/codec/utf8.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/text.h"
#include "probe/page-charset.h"
#include "probe/page-private.h"

enum {
    META_BYTES = 1024,     /* a meta tag with the encoding begins in this range */
    META_TAG_BYTES = 4096, /* and ends within this many more */
};

/* The encoding in a meta tag (13.2.3.2); bytes are read as ASCII. */
static const char *charset_of_meta(struct text body)
{
    const struct page raw = {
        .markup = { body.bytes, MIN(body.size, (size_t)META_BYTES + META_TAG_BYTES) },
    };
    scoped(page_reader_free) struct page_reader *reader = page_reader_new(&raw);
    const char *charset = NULL;
    struct page_token token;

    while (!charset && page_next(reader, &token) && token.offset < META_BYTES) {
        if (!page_opens(&token, "meta"))
            continue;
        const struct text *label = page_attribute(&token, "charset");
        const struct text *equiv = page_attribute(&token, "http-equiv");
        const struct text *content = page_attribute(&token, "content");
        if (label)
            charset = page_charset_of(*label);
        else if (equiv && content && text_is_any_case(page_trim(*equiv), "content-type"))
            charset = page_charset_of_type(*content);
    }
    /* the tag was read as ASCII, so it is not UTF-16 */
    return charset && strncmp(charset, "utf-16", 6) == 0 ? "utf-8" : charset;
}

static void find_charset(struct page *page, struct text body, const char *content_type,
                         size_t *mark_bytes)
{
    *mark_bytes = 0;
    page->how = PAGE_ENCODING_BOM;
    if ((page->charset = page_charset_of_mark(body, mark_bytes)))
        return;
    page->how = PAGE_ENCODING_HEADER;
    if ((page->charset = page_charset_of_type(text_of(content_type))))
        return;
    page->how = PAGE_ENCODING_META;
    if ((page->charset = charset_of_meta(body)))
        return;
    page->how = PAGE_ENCODING_GUESS;
    page->charset = utf8_is_valid(body) ? "utf-8" : "windows-1252";
}

/* Most pages have no base element: skip the search. */
static bool may_have_base(struct text markup)
{
    const char *sign = markup.bytes;
    const char *end = markup.bytes + markup.size;
    while (sign < end && (sign = memchr(sign, '<', (size_t)(end - sign)))) {
        if (text_begins_any_case((struct text){ sign, (size_t)(end - sign) }, "<base"))
            return true;
        sign++;
    }
    return false;
}

static char *find_base(const struct page *page)
{
    if (!may_have_base(page->markup))
        return NULL;
    scoped(page_reader_free) struct page_reader *reader = page_reader_new(page);
    struct page_token token;
    while (page_next(reader, &token)) {
        const struct text *href = page_opens(&token, "base") && !token.in_template
                                      ? page_attribute(&token, "href")
                                      : NULL;
        if (href)
            return mem_dup(page_trim(*href).bytes, page_trim(*href).size);
    }
    return NULL;
}

struct page *page_new(struct text body, const char *content_type)
{
    struct page *page = mem_new(sizeof(*page));
    size_t mark_bytes;

    find_charset(page, body, content_type, &mark_bytes);
    body = (struct text){ body.bytes + mark_bytes, body.size - mark_bytes };
    page->utf8 = (struct buf)BUF(3 * body.size + 3);
    page_charset_decode(body, page->charset, &page->utf8);
    assert(!page->utf8.full);
    page->markup = buf_text(&page->utf8);
    page->is_xml = text_has_any_case(text_of(content_type), "xml");
    page->base = find_base(page);
    return page;
}

void page_free(struct page **page)
{
    if (!*page)
        return;
    buf_free(&(*page)->utf8);
    mem_free(&(*page)->base);
    mem_free(page);
}

struct text page_markup(const struct page *page)
{
    return page->markup;
}

const char *page_charset(const struct page *page, enum page_encoding *how)
{
    if (how)
        *how = page->how;
    return page->charset;
}

bool page_base(const struct page *page, struct text *href)
{
    if (page->base)
        *href = text_of(page->base);
    return page->base != NULL;
}
