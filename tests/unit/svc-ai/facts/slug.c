/* tests/unit/svc-ai/facts/slug.c - slugs of titles and of URLs. */
#include "facts/slug.h"

#include "rows.h"

static const struct row {
    const char *name; /* the title, or a URL */
    const char *want;
} rows[] = {
    { "Ten Ways to Bake Bread", "ten-ways-to-bake-bread" },
    { "  --A  &  B!--  ", "a-b" },
    { "Crème brûlée à l'ancienne", "creme-brulee-a-lancienne" },
    { "Straße Øl Łódź Þór", "strasse-ol-lodz-thor" },
    { "\xEF\xBC\xA1\xEF\xBC\xA2 \xE2\x91\xA0", "ab-1" },
    { "日本語", "" },
    { "日本語 2026", "2026" },
    { "", "" },
    { "aaaaaaaaa bbbbbbbbb ccccccccc ddddddddd eeeeeeeee fffffffff ggggggggg hhhhhhhhh i",
      "aaaaaaaaa-bbbbbbbbb-ccccccccc-ddddddddd-eeeeeeeee-fffffffff-ggggggggg" },
    { "aaaaaaaaaabbbbbbbbbbccccccccccddddddddddeeeeeeeeeeffffffffffgggggggggghhhhhhhhhh",
      "aaaaaaaaaabbbbbbbbbbccccccccccddddddddddeeeeeeeeeeffffffffffgggggggggghhhhh" },
}, urls[] = {
    { "https://example.com/shop/red-apples.html?x=1#y", "red-apples" },
    { "https://example.com/shop/", "shop" },
    { "https://example.com/", "" },
    { "https://example.com", "" },
    { "https://example.com/caf%C3%A9", "cafe" },
    { "https://example.com/%FF%FE", "" },
    { "https://example.com/.well-known", "well-known" },
    { "https://example.com/a?u=https://b/c", "a" },
};

static void check(void **state)
{
    const struct row *row = *state;
    scoped(buf_free) struct buf out = BUF(SLUG_BYTES);
    slug_add(text_of(row->name), &out);
    assert_string_equal(buf_str(&out), row->want);
    assert_false(out.full);
}

static void check_url(void **state)
{
    const struct row *row = *state;
    scoped(buf_free) struct buf out = BUF(SLUG_BYTES);
    slug_add_of_url(text_of(row->name), &out);
    assert_string_equal(buf_str(&out), row->want);
}

int main(void)
{
    return RUN_ROWS(rows, check) + RUN_ROWS(urls, check_url);
}
