/* tests/unit/svc-reports/crawl/references.c - resources in markup, and the freshness of
 * responses. */
#include "crawl/references.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "crawl/freshness.h"
#include "crawl/kind.h"
#include "rows.h"

/* ---- references ---- */

/* clang-format off */
static const struct row {
    const char *name;
    const char *page;
    const char *want; /* use and URL; marks: ! blocks, ~ lazy, # without size, > eager and late, + a
                       * modern format, @ import; each ends with ; */
} rows[] = {
    { "nothing", "<p>Hello", "" },
    { "a style sheet", "<link rel=stylesheet href=a.css>", "style a.css!;" },
    { "for paper", "<link rel=stylesheet media=print href=a.css>", "" },
    { "for small screens", "<link rel=stylesheet media='(max-width: 9px)' href=a.css>", "style a.css;" },
    { "an alternate one", "<link rel='alternate stylesheet' href=a.css>", "" },
    { "the first icon", "<link rel='shortcut icon' href=a><link rel=icon href=b>", "picture a;" },
    { "preloads", "<link rel=preload as=font href=a><link rel=preload as=style href=b><link rel=modulepreload href=c>", "font a;style b;script c;" },
    { "a manifest", "<link rel=manifest href=a>", "manifest a;" },
    { "hints load nothing", "<link rel=preconnect href=//a><link rel=canonical href=b><link rel=prefetch href=c>", "" },
    { "a script in the head", "<head><script src=a></script>", "script a!;" },
    { "scripts that do not block", "<head><script async src=a></script><script defer src=b></script><script type=module src=c></script>", "script a;script b;script c;" },
    { "a script in the body", "<body><p><script src=a></script>", "script a;" },
    { "for old browsers", "<script nomodule src=a></script>", "" },
    { "data in a script", "<script type=application/json src=a></script>", "" },
    { "an image", "<img src=a width=1 height=1>", "image a;" },
    { "an image of no size", "<img src=a>", "image a#;" },
    { "an image of a set", "<img srcset='a 1x, b 2x' src=c width=1 height=1>", "image a;" },
    { "an image sized in its style", "<img src=a style='width:1px;height:1px'>", "image a;" },
    { "an image half sized in its style", "<img src=a style='width:100%;height:auto'>", "image a#;" },
    { "a picture", "<picture><source type=image/avif srcset=a.avif><img src=b.jpg width=1 height=1></picture>", "image a.avif+;" },
    { "a picture for phones", "<picture><source media='(max-width: 9px)' srcset=a.jpg><img src=b.jpg width=1 height=1></picture>", "image b.jpg;" },
    { "an image behind a picture", "<picture><source srcset=a><img src=b width=1 height=1></picture><img src=c width=1 height=1>", "image a;image c;" },
    { "the sixth image", "<img src=a width=1 height=1><img src=b width=1 height=1><img src=c width=1 height=1><img src=d width=1 height=1><img src=e width=1 height=1 loading=lazy><img src=f width=1 height=1 loading=lazy><img src=g width=1 height=1>", "image a;image b;image c;image d;image e;image f~;image g>;" },
    { "an input", "<input type=image src=a><input type=text src=b>", "picture a;" },
    { "a film", "<video poster=a src=b></video>", "picture a;media b;" },
    { "a film for later", "<video poster=a preload=none src=b><source src=c></video>", "picture a;" },
    { "sources of a film", "<audio><source src=a><source src=b></audio><source src=c>", "media a;" },
    { "frames", "<iframe src=a></iframe><iframe loading=lazy src=b></iframe><iframe srcdoc=x src=c></iframe>", "frame a;" },
    { "objects", "<object data=a></object><embed src=b>", "other a;other b;" },
    { "svg", "<svg><image href=a /><use xlink:href=b#x /><use href='#y' /></svg>", "picture a;picture b#x;" },
    { "a style element", "<style>@import 'a'; b { background: url(c) }</style>", "style a!@;picture c;" },
    { "a style for paper", "<style media=print>b { background: url(c) }</style>", "" },
    { "a style attribute", "<p style='background:url(&quot;a&quot;)'>", "picture a;" },
    { "what needs no request", "<img src=data:,x width=1 height=1><iframe src=about:blank></iframe><script src='javascript:1'></script><img src='' width=1 height=1>", "" },
    { "without scripts only", "<noscript><img src=a></noscript>", "" },
    { "not there yet", "<template><img src=a></template><!-- <img src=b> -->", "" },
    { "references", "<img src='a?b=1&amp;c=2' width=1 height=1>", "image a?b=1&c=2;" },
};
/* clang-format on */

static void print(const struct reference *reference, struct buf *out)
{
    static const char *const uses[] = { "style", "script", "image",    "picture", "font",
                                        "media", "frame",  "manifest", "other" };
    buf_format(out, "%s %s", uses[reference->use], reference->url);
    const struct {
        bool is_set;
        char mark;
    } marks[] = {
        { reference->blocks, '!' },          { reference->is_lazy, '~' },
        { reference->is_unsized, '#' },      { reference->is_eager_late, '>' },
        { reference->has_modern_form, '+' }, { reference->is_import, '@' },
    };
    for (size_t i = 0; i < countof(marks); i++)
        if (marks[i].is_set)
            buf_add_byte(out, marks[i].mark);
    buf_add_byte(out, ';');
}

static void read(const char *markup, struct references *references)
{
    scoped(page_free) struct page *page = page_new(text_of(markup), "text/html; charset=utf-8");
    references_read(page, references);
}

static void check(void **state)
{
    const struct row *row = *state;
    scoped(references_free) struct references references = { 0 };
    scoped(buf_free) struct buf got = BUF(1 << 16);
    read(row->page, &references);
    for (size_t i = 0; i < references.count; i++)
        print(&references.item[i], &got);
    assert_string_equal(buf_str(&got), row->want);
}

static void counts(void **state)
{
    (void)state;
    scoped(references_free) struct references references = { 0 };
    read("<html><body><div><ul><li>a<li>b<li>c</ul><br><svg><path /><path /></svg></div>"
         "<script>12345</script><script type=text/x>1</script><style>a{}</style><p style=b:c>"
         "<template><img src=x></template>",
         &references);
    assert_int_equal(references.elements, 17);
    assert_int_equal(references.max_depth, 2);
    assert_int_equal(references.images, 0);
    assert_int_equal(references.inline_script_bytes, 5);
    assert_int_equal(references.inline_style_bytes, 3 + 3);
}

static void many_images_of_a_sheet(void **state)
{
    (void)state;
    scoped(references_free) struct references references = { 0 };
    scoped(buf_free) struct buf sheet = BUF(1 << 16);
    buf_add_str(&sheet, "@import 'x';");
    for (int i = 0; i <= STYLE_IMAGES_MAX; i++)
        buf_format(&sheet, ".a%d{background:url(%d)}", i, i);
    references_add_sheet(buf_text(&sheet), &references);
    assert_int_equal(references.count, 1);
    assert_string_equal(references.item[0].url, "x");
}

static void more_than_can_be(void **state)
{
    (void)state;
    scoped(references_free) struct references references = { 0 };
    scoped(buf_free) struct buf page = BUF(1 << 20);
    for (int i = 0; i < REFERENCES_MAX + 10; i++)
        buf_format(&page, "<img src=%d>", i);
    read(buf_str(&page), &references);
    assert_int_equal(references.count, REFERENCES_MAX);
    assert_true(references.is_cut);
    assert_int_equal(references.images, REFERENCES_MAX + 10);
}

/* ---- freshness ---- */

enum { NOW_S = 784111777 }; /* Sun, 06 Nov 1994 08:49:37 GMT */

static const struct fresh {
    const char *name;
    const char *headers; /* "Name: value" lines */
    int64_t ttl_s;
    const char *marks; /* "s" stated, "i" immutable, "v" validator */
} fresh[] = {
    { "nothing", "", 0, "" },
    { "an age", "Cache-Control: max-age=60", 60, "s" },
    { "for this cache alone", "Cache-Control: private, max-age=60", 60, "s" },
    { "for others' caches", "Cache-Control: s-maxage=60", 0, "" },
    { "in quotes", "Cache-Control: max-age=\"60\"", 60, "s" },
    { "in capitals", "CACHE-CONTROL: MAX-AGE=60", 60, "s" },
    { "for ever", "Cache-Control: max-age=99999999999999999999", FRESHNESS_MAX_S, "s" },
    { "no number", "Cache-Control: max-age=never", 0, "s" },
    { "immutable", "Cache-Control: max-age=60, immutable", 60, "si" },
    { "not at all", "Cache-Control: no-store, max-age=60", 0, "s" },
    { "ask each time", "Cache-Control: max-age=60\nCache-Control: no-cache", 0, "s" },
    { "one field alone", "Cache-Control: no-cache=\"set-cookie\", max-age=60", 60, "s" },
    { "the first of two ages", "Cache-Control: max-age=60, max-age=5", 60, "s" },
    { "a date", "Expires: Sun, 06 Nov 1994 08:50:37 GMT", 60, "s" },
    { "a date from another",
      "Date: Sun, 06 Nov 1994 08:48:37 GMT\nExpires: Sun, 06 Nov 1994 08:50:37 GMT", 120, "s" },
    { "of the second form", "Expires: Sunday, 06-Nov-94 08:50:37 GMT", 60, "s" },
    { "of the third", "Expires: Sun Nov  6 08:50:37 1994", 60, "s" },
    { "the past", "Expires: Sun, 06 Nov 1993 08:50:37 GMT", 0, "s" },
    { "no date", "Expires: 0", 0, "s" },
    { "an age wins over a date", "Cache-Control: max-age=5\nExpires: Sun, 06 Nov 1994 08:50:37 GMT",
      5, "s" },
    { "a tag", "ETag: \"a\"", 0, "v" },
    { "the last change", "Last-Modified: Sun, 06 Nov 1994 08:49:37 GMT", 0, "v" },
};

static void check_fresh(void **state)
{
    enum { HEADERS = 4 };
    const struct fresh *row = *state;
    struct fetch_header header[HEADERS];
    struct fetch_hop hop = { .header = header };
    struct freshness got;
    scoped(buf_free) struct buf marks = BUF(8);
    scoped(mem_free) char *copy = str_dup(row->headers);
    char *rest = copy;
    char *line;
    while ((line = strsep(&rest, "\n")) && *line) {
        char *colon = strchr(line, ':');
        *colon = '\0';
        header[hop.header_count++] =
            (struct fetch_header){ .name = text_of(line), .value = text_of(colon + 2) };
    }
    freshness_read(&hop, (int64_t)NOW_S * 1000, &got);
    buf_add_str(&marks, got.is_stated ? "s" : "");
    buf_add_str(&marks, got.is_immutable ? "i" : "");
    buf_add_str(&marks, got.has_validator ? "v" : "");
    assert_int_equal(got.ttl_s, row->ttl_s);
    assert_string_equal(buf_str(&marks), row->marks);
}

/* ---- kinds ---- */

static const struct typed {
    const char *name;
    const char *kind;
    bool is_compressible;
} types[] = {
    { "text/html", "html", true },
    { "text/css", "css", true },
    { "application/x-javascript", "javascript", true },
    { "image/png", "image", false },
    { "image/svg+xml", "image", true },
    { "font/woff2", "font", false },
    { "font/ttf", "font", true },
    { "application/font-woff2", "font", false },
    { "video/mp4", "media", false },
    { "application/json", "json", true },
    { "text/plain", "other", true },
    { "application/octet-stream", "other", false },
    { "", "other", false },
};

static void check_type(void **state)
{
    const struct typed *row = *state;
    assert_string_equal(kind_name(kind_of_type(row->name)), row->kind);
    assert_int_equal(kind_is_compressible(row->name), row->is_compressible);
}

int main(void)
{
    const struct CMUnitTest others[] = {
        cmocka_unit_test(counts),
        cmocka_unit_test(many_images_of_a_sheet),
        cmocka_unit_test(more_than_can_be),
    };
    return RUN_ROWS(rows, check) + cmocka_run_group_tests(others, NULL, NULL) +
           RUN_ROWS(fresh, check_fresh) + RUN_ROWS(types, check_type);
}
