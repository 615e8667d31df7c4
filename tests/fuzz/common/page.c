/* tests/fuzz/common/page.c - any bytes are a page: the first two choose what its header says. Every
 * text of every token is valid UTF-8, and tokens come in the markup's order. */
#include "probe/page.h"

#include <assert.h>

#include "../target.h"
#include "base/codec/utf8.h"

static const char *const types[] = {
    NULL,
    "text/html; charset=utf-8",
    "application/xhtml+xml",
    "text/html; charset=windows-1252",
    "text/html; charset=shift_jis",
    "text/html; charset=big5",
    "text/html; charset=euc-jp",
    "text/html; charset=iso-2022-jp",
    "text/html; charset=gb18030",
    "text/html; charset=utf-16le",
    "text/html; charset=euc-kr",
    "text/html; charset=windows-1258",
};

static void check_token(const struct page_token *token)
{
    assert(utf8_is_valid(token->name) && utf8_is_valid(token->text));
    assert(token->attribute_count <= PAGE_ATTRIBUTES_MAX);
    for (size_t i = 0; i < token->attribute_count; i++) {
        const struct page_attribute *attribute = &token->attributes[i];
        assert(attribute->name.size > 0);
        assert(utf8_is_valid(attribute->name) && utf8_is_valid(attribute->value));
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    if (size == 0)
        return 0;
    struct text body = { (const char *)bytes + 1, size - 1 };
    scoped(page_free) struct page *page = page_new(body, types[bytes[0] % countof(types)]);
    struct text markup = page_markup(page);
    assert(utf8_is_valid(markup) && markup.size <= 3 * body.size);
    scoped(page_reader_free) struct page_reader *reader = page_reader_new(page);
    struct page_token token;
    size_t next = 0;
    while (page_next(reader, &token)) {
        assert(token.offset >= next && token.offset < markup.size);
        next = token.offset + 1;
        check_token(&token);
    }
    return 0;
}
