/* tests/unit/svc-reports/crawl/sheets.c - style sheets, media queries and srcset. */
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "crawl/css-sizes.h"
#include "crawl/css.h"
#include "crawl/media.h"
#include "crawl/srcset.h"
#include "rows.h"

/* ---- style sheets ---- */

/* clang-format off */
static const struct row {
    const char *name;
    const char *sheet;
    const char *want; /* "i a" is an import of a, "f" a font, "p" an image; each ends with ; */
} rows[] = {
    { "nothing", "", "" },
    { "a rule", "a { color: red }", "" },
    { "an import", "@import 'a.css';", "i a.css;" },
    { "an import by url", "@import url(a.css) screen;", "i a.css;" },
    { "an import for paper", "@import url(a.css) print;", "" },
    { "an import for small screens", "@import 'a.css' (max-width: 600px);", "" },
    { "an import into a layer", "@import 'a.css' layer(x);", "i a.css;" },
    { "an import of nothing", "@import ; a { background: url(b) }", "p b;" },
    { "an import without end", "@import url(a", "i a;" },
    { "a background", "a { background: red url( \"a.png\" ) }", "p a.png;" },
    { "in capitals", "A { BACKGROUND: URL(a.png) }", "p a.png;" },
    { "apostrophes", "a { background: url('a b.png') }", "p a b.png;" },
    { "brackets in quotes", "a { background: url('a).png') }", "p a).png;" },
    { "an escape", "a { background: url(a\\).png) }", "p a).png;" },
    { "an escape by number", "a { background: url(\\41 b) }", "p Ab;" },
    { "data is there already", "a { background: url(data:image/png;base64,AA) }", "" },
    { "in a comment", "/* a { background: url(a) } */", "" },
    { "behind a comment without end", "a { background: url(b) } /* url(a)", "p b;" },
    { "in a string", "a:after { content: 'url(a)' }", "" },
    { "a fragment of this page", "a { filter: url(#f) }", "" },
    { "a namespace", "@namespace url(http://www.w3.org/1999/xhtml); a { background: url(b) }", "p b;" },
    { "a name that ends in url", "a { background: my-url(a) }", "" },
    { "media that fit", "@media screen and (min-width: 600px) { a { background: url(a) } }", "p a;" },
    { "media that do not", "@media print { a { background: url(a) } } b { background: url(b) }", "p b;" },
    { "media in media", "@media screen { @media (max-width: 9px) { a { background: url(a) } } b { background: url(b) } }", "p b;" },
    { "a font", "@font-face { font-family: x; src: url(a.woff2) format('woff2') }", "f a.woff2;" },
    { "the best font", "@font-face { src: url(a.eot); src: url(a.eot?x) format('embedded-opentype'), url(a.woff) format('woff'), url(a.woff2) format('woff2') }", "f a.woff2;" },
    { "a font of the old days", "@font-face { src: local(x), url(a.ttf) format('truetype'), url(a.woff) format('woff') }", "f a.ttf;" },
    { "an unsupported font", "@font-face { src: url(a.eot) }", "" },
    { "a font for these letters", "@font-face { src: url(a.woff2); unicode-range: U+0000-00FF, U+0131 }", "f a.woff2;" },
    { "a font for others", "@font-face { src: url(a.woff2); unicode-range: U+0400-04FF, u+4??; } a { background: url(b) }", "p b;" },
    { "a font for many by ?", "@font-face { src: url(a.woff2); unicode-range: U+?? }", "f a.woff2;" },
    { "a font without block", "@font-face", "" },
    { "a style attribute", "background:url(a);color:red", "p a;" },
    { "blanks in and around", "a { background: url(\n a \n) }", "p a;" },
};
/* clang-format on */

static void note(enum css_use use, struct text url, void *context)
{
    buf_format(context, "%c %.*s;",
               use == CSS_IMPORT ? 'i'
               : use == CSS_FONT ? 'f'
                                 : 'p',
               (int)url.size, url.bytes);
}

static void check(void **state)
{
    const struct row *row = *state;
    scoped(buf_free) struct buf found = BUF(1 << 16);
    css_read(text_of(row->sheet), note, &found);
    assert_string_equal(buf_str(&found), row->want);
}

static void a_long_url_is_left_out(void **state)
{
    (void)state;
    scoped(buf_free) struct buf sheet = BUF(1 << 16);
    scoped(buf_free) struct buf found = BUF(1 << 16);
    buf_add_str(&sheet, "a { background: url(");
    for (int i = 0; i < CSS_URL_BYTES + 1; i++)
        buf_add_byte(&sheet, 'a');
    buf_add_str(&sheet, ") } b { background: url(b) }");
    css_read(buf_text(&sheet), note, &found);
    assert_string_equal(buf_str(&found), "p b;");
}

/* ---- media ---- */

static const struct media {
    const char *name;
    bool fits;
    bool is_print;
} media[] = {
    { "", true, false },
    { "all", true, false },
    { "screen", true, false },
    { "print", false, true },
    { "SCREEN", true, false },
    { "print, screen", true, false },
    { "not print", true, false },
    { "not screen", false, true },
    { "only screen and (min-width: 1366px)", true, false },
    { "(min-width: 1367px)", false, false },
    { "(max-width: 1365px)", false, false },
    { "(max-width: 100em)", true, false },
    { "(min-width:90rem)", false, false },
    { "(orientation: portrait)", false, false },
    { "(prefers-color-scheme: dark)", false, false },
    { "(min-resolution: 2dppx)", false, false },
    { "(min-width: 600px) and (max-width: 900px)", false, false },
    { "(max-width: 600px), (min-width: 900px)", true, false },
    { "(some-day: yes)", true, false },
    { "speech", false, true },
    { "((", true, false },
};

static void check_media(void **state)
{
    const struct media *row = *state;
    assert_int_equal(media_fits(text_of(row->name)), row->fits);
    assert_int_equal(media_is_print(text_of(row->name)), row->is_print);
}

/* ---- srcset ---- */

static const struct set {
    const char *name;
    const char *srcset;
    const char *sizes;
    const char *src;
    const char *want; /* "" for no candidate */
} sets[] = {
    { "only src", "", "", "a", "a" },
    { "nothing", "", "", "", "" },
    { "by density", "a 1x, b 2x", "", "c", "a" },
    { "without a descriptor", "a, b 2x", "", "", "a" },
    { "src is 1x", "b 2x", "", "c", "c" },
    { "too small ones alone", "a 0.5x, b .75x", "", "", "b" },
    { "by width", "a 640w, b 1366w, c 2000w", "", "d", "b" },
    { "none is wide enough", "a 320w, b 640w", "", "d", "b" },
    { "a picture of half the width", "a 640w, b 700w, c 1366w", "50vw", "d", "b" },
    { "of the first size that fits", "a 640w, b 1366w", "(max-width: 700px) 100vw, 600px", "",
      "a" },
    { "of the first size that fits, really", "a 640w, b 1366w", "(min-width: 700px) 100vw, 600px",
      "", "b" },
    { "sizes that are calculated", "a 640w, b 1366w", "calc(50vw - 10px)", "", "b" },
    { "URLs with commas", "a,b 1x, c 2x", "", "", "a,b" },
    { "a comma at the end of a URL", "a, b 2x", "", "", "a" },
    { "no blanks behind commas", "a 1x,b 2x", "", "", "a" },
    { "heights are not known", "a 640h", "", "c", "c" },
    { "no number", "a zw, b 1x", "", "", "b" },
    { "the first of two equal ones", "a 1x, b 1x", "", "", "a" },
    { "line feeds", "\n a 1x,\n b 2x\n", "", "", "a" },
    { "commas alone", ",,,", "", "c", "c" },
};

static void check_set(void **state)
{
    const struct set *row = *state;
    struct text url = TEXT("");
    bool ok = srcset_choose(text_of(row->srcset), text_of(row->sizes), text_of(row->src), &url);
    assert_int_equal(ok, *row->want != '\0');
    scoped(mem_free) char *got = mem_dup(url.bytes ? url.bytes : "", url.size);
    assert_string_equal(got, row->want);
}

/* ---- images that a sheet sizes ---- */

/* clang-format off */
static const struct sized_row {
    const char *name;
    const char *sheet;
    bool is_sized; /* <img class="wide hero" id="logo"> */
} sized[] = {
    { "an image without rules", "", false },
    { "width and height", "img { width: 10px; height: 20px }", true },
    { "a ratio", ".hero{aspect-ratio:16/9;width:100%}", true },
    { "a ratio alone", ".hero{aspect-ratio:16/9}", false },
    { "the width alone", "img { max-width: 100%; width: 50% }", false },
    { "a height that follows", "img { width: 100%; height: auto }", false },
    { "a height of its box", "img { width: 100%; height: 100% }", false },
    { "another class", ".other { width: 1px; height: 1px }", false },
    { "a longer class", ".hero2 { width: 1px; height: 1px }", false },
    { "both classes", "IMG.hero.wide#logo { width: 1px; height: 1px }", true },
    { "one class of two", ".hero.other { width: 1px; height: 1px }", false },
    { "an id", "#logo { height: 2rem; width: 2rem }", true },
    { "in a list", "p, #other, .wide { height: 2rem; width: 2rem }", true },
    { "below another", ".card > .hero { height: 2rem; width: 2rem }", true },
    { "any image below another", ".card img { height: 2rem; width: 2rem }", false },
    { "an element that is none", "svg.hero { height: 2rem; width: 2rem }", false },
    { "a state", ".hero:hover { height: 2rem; width: 2rem }", false },
    { "media that fit", "@media (min-width: 600px) { .hero { width: 1px; height: 1px } }", true },
    { "media that do not", "@media print { .hero { width: 1px; height: 1px } }", false },
    { "after media that do not", "@media print { a { b: c } d { e: f } } .hero { width: 1px; height: 1px }", true },
    { "after a font", "@font-face { src: url(a) } .hero { width: 1px; height: 1px }", true },
    { "after a charset", "@charset 'utf-8'; .hero { width: 1px; height: 1px }", true },
    { "after a comment", "/* { */ .hero { width: 1px; height: 1px }", true },
    { "an apostrophe in a comment", "/* don't */ .hero { width: 1px; /* it's } */ height: 1px }", true },
    { "a string without end", ".a { content: 'x\n } .hero { width: 1px; height: 1px }", true },
    { "media without a blank", "@media(max-width:9px){ .hero { width: 1px; height: 1px } }", false },
    { "a brace in a string", ".a { content: '}' } .hero { width: 1px; height: 1px }", true },
    { "without end", ".hero { width: 1px; height: 1px", true },
    { "nested rules", ".a { .hero { width: 1px; height: 1px } }", false },
    { "nothing but braces", "{{{{}}}};;\"", false },
};
/* clang-format on */

static void check_sized(void **state)
{
    const struct sized_row *row = *state;
    struct size_rules rules = { 0 };
    struct size_rules all = { 0 };
    size_rules_read(text_of(row->sheet), &rules);
    size_rules_take(&all, &rules);
    assert_int_equal(size_rules_fit(&all, TEXT(" wide\n hero"), TEXT("logo")), row->is_sized);
    size_rules_free(&rules);
    size_rules_free(&all);
}

static void many_rules(void **state)
{
    struct size_rules rules = { 0 };
    struct size_rules all = { 0 };
    scoped(buf_free) struct buf sheet = BUF(1 << 20);
    (void)state;
    for (int i = 0; i < SIZE_RULES_MAX + 10; i++)
        buf_format(&sheet, ".a%d{width:1px;height:1px}", i);
    size_rules_read(buf_text(&sheet), &rules);
    assert_int_equal(rules.count, SIZE_RULES_MAX);
    size_rules_take(&all, &rules);
    size_rules_read(TEXT(".b{width:1px;height:1px}"), &rules);
    size_rules_take(&all, &rules);
    assert_int_equal(all.count, SIZE_RULES_MAX);
    assert_int_equal(rules.count, 1);
    size_rules_free(&rules);
    size_rules_free(&all);
}

int main(void)
{
    static const struct {
        const char *name;
    } longs[] = { { "a long URL is left out" } }, many[] = { { "many rules" } };
    return RUN_ROWS(rows, check) + RUN_ROWS(longs, a_long_url_is_left_out) +
           RUN_ROWS(media, check_media) + RUN_ROWS(sets, check_set) + RUN_ROWS(sized, check_sized) +
           RUN_ROWS(many, many_rules);
}
