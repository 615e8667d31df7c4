/* tests/unit/probe/page.c - the tokens that a browser makes of markup, valid and invalid. */
#include "probe/page.h"

#include <string.h>

#include "base/num.h"
#include "base/os/clock.h"
#include "base/text.h"
#include "rows.h"

/* ---- tokens, written out: <a href='…'>, </a>, !comment!, ?doctype?, "text", title"raw text" ----
 */

static void dump_open(const struct page_token *token, struct buf *out)
{
    buf_format(out, "<%s%.*s", token->is_foreign ? "*" : "", (int)token->name.size,
               token->name.bytes);
    for (size_t i = 0; i < token->attribute_count; i++) {
        const struct page_attribute *attribute = &token->attributes[i];
        buf_format(out, " %.*s='%.*s'", (int)attribute->name.size, attribute->name.bytes,
                   (int)attribute->value.size, attribute->value.bytes);
    }
    buf_add_str(out, token->is_self_closing ? "/>" : ">");
}

static void dump_token(const struct page_token *token, struct buf *out)
{
    int name_size = (int)token->name.size;
    int text_size = (int)token->text.size;
    const char *name = token->name.bytes;
    const char *text = token->text.bytes;

    switch (token->kind) {
    case PAGE_OPEN:
        dump_open(token, out);
        break;
    case PAGE_CLOSE:
        buf_format(out, "</%.*s>", name_size, name);
        break;
    case PAGE_TEXT:
        buf_format(out, "%.*s\"%.*s\"", name_size, name, text_size, text);
        break;
    case PAGE_COMMENT:
        buf_format(out, "!%.*s!", text_size, text);
        break;
    case PAGE_DOCTYPE:
        buf_format(out, "?%.*s|%.*s?", name_size, name, text_size, text);
        break;
    }
}

static void dump(const struct page *page, struct buf *out)
{
    scoped(page_reader_free) struct page_reader *reader = page_reader_new(page);
    struct page_token token;
    while (page_next(reader, &token)) {
        buf_add_str(out, out->size > 0 ? " " : "");
        dump_token(&token, out);
    }
}

/* clang-format off */
static const struct row {
    const char *name;
    const char *markup;
    const char *want;
} rows[] = {
    { "nothing", "", "" },
    { "text alone", "a b", "\"a b\"" },
    { "a page", "<!DOCTYPE html><p>x</p>", "?html|? <p> \"x\" </p>" },
    { "an old doctype", "<!doctype HTML PUBLIC \"-//W3C//DTD HTML 4.01//EN\" >",
      "?html|PUBLIC \"-//W3C//DTD HTML 4.01//EN\"?" },
    { "a doctype without name", "<!DOCTYPE>", "?|?" },
    { "three quotings", "<a b=\"1>\" c='2>' d=3 e>", "<a b='1>' c='2>' d='3' e=''>" },
    { "blanks around =", "<a b = c\n=d>", "<a b='c' =d=''>" },
    { "= begins a name", "<a =b=c>", "<a =b='c'>" },
    { "names in capitals", "<DIV CLASS=A></DIV>", "<div class='A'> </div>" },
    { "the first of two equal names", "<a b=1 B=2 b=3>", "<a b='1'>" },
    { "no blank between attributes", "<a b='1'c='2'/d>", "<a b='1' c='2' d=''>" },
    { "self-closed", "<br/><br /><a b=/><a b/>", "<br/> <br/> <a b='/'> <a b=''/>" },
    { "an empty value", "<a b=><c>", "<a b=''> <c>" },
    { "a < within a tag", "<a <b>", "<a <b=''>" },
    { "a tag without end is text", "x<a b='", "\"x\"" },
    { "a closing tag without end is text", "x</a b", "\"x\"" },
    { "attributes of a closing tag", "</a b=c>", "</a>" },
    { "a < that begins nothing", "1<2 < 3<", "\"1<2 < 3<\"" },
    { "</> is nothing", "a</>b", "\"a\" \"b\"" },
    { "</ and no letter", "a</ b>c</", "\"a\" ! b! \"c</\"" },
    { "a comment", "<!-- a -- > b -->c", "! a -- > b ! \"c\"" },
    { "comments that end at once", "<!--><!--->a", "!! !! \"a\"" },
    { "--!> ends one too", "<!--a--!>b", "!a! \"b\"" },
    { "more dashes", "<!--a--->b", "!a-! \"b\"" },
    { "a comment without end", "<!--a--", "!a--!" },
    { "bogus comments", "<!a><?b c?><!>", "!a! !?b c?! !!" },
    { "CDATA is a comment in HTML", "<![CDATA[a]]>", "![CDATA[a]]!" },
    { "and text in svg", "<svg><![CDATA[<a>&lt;]]></svg>", "<*svg> \"<a>&lt;\" </svg>" },
    { "references in text", "a&amp;b&lt;&#38;&#x26;&euro;", "\"a&b<&&\xE2\x82\xAC\"" },
    { "names without ; that are old", "&copy2 &ampx &AMP", "\"\xC2\xA9""2 &x &\"" },
    { "and new ones, which need it", "&euro &hearts", "\"&euro &hearts\"" },
    { "the longest name wins", "&notin; &not; &notit;", "\"\xE2\x88\x89 \xC2\xAC \xC2\xACit;\"" },
    { "a name of two characters", "&NotEqualTilde;", "\"\xE2\x89\x82\xCC\xB8\"" },
    { "no names", "&nosuch; & &; &a", "\"&nosuch; & &; &a\"" },
    { "numbers", "&#65 &#x41;&#x1F600;", "\"A A\xF0\x9F\x98\x80\"" },
    { "numbers of windows-1252", "&#128;&#x99;&#150;", "\"\xE2\x82\xAC\xE2\x84\xA2\xE2\x80\x93\"" },
    { "numbers without a character", "&#0;&#xD800;&#x110000;&#99999999999999999999;",
      "\"\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\"" },
    { "no numbers", "&#;&#x;&#xg", "\"&#;&#x;&#xg\"" },
    { "references in attributes", "<a b='?c=1&copy=2&amp;d&lt' e=&gt;>",
      "<a b='?c=1&copy=2&d<' e='>'>" },
    { "one that a letter follows", "<a b='&ampx &amp'>", "<a b='&ampx &'>" },
    { "a script is raw", "<script>a<b>&amp;</p></script>c", "<script> script\"a<b>&amp;</p>\" </script> \"c\"" },
    { "its end in capitals, with blanks", "<script>a</SCRIPT >b", "<script> script\"a\" </script> \"b\"" },
    { "a longer name does not close it", "<script>a</scripts></script>", "<script> script\"a</scripts>\" </script>" },
    { "an empty script", "<script src=a></script>", "<script src='a'> </script>" },
    { "a script without end", "<script>a<p>", "<script> script\"a<p>\"" },
    { "a closed script is not closed", "<script/>a</script>", "<script/> script\"a\" </script>" },
    { "an escaped script", "<script><!--a</script>b", "<script> script\"<!--a\" </script> \"b\"" },
    { "a script within its comment", "<script><!--<script>a</script>b--></script>c",
      "<script> script\"<!--<script>a</script>b-->\" </script> \"c\"" },
    { "two scripts within its comment", "<script><!--<script>a</script><script>b</script>--></script>c",
      "<script> script\"<!--<script>a</script><script>b</script>-->\" </script> \"c\"" },
    { "that ends with the comment", "<script><!--<script>--></script>c",
      "<script> script\"<!--<script>-->\" </script> \"c\"" },
    { "<!--> ends at once", "<script><!--><script></script>c",
      "<script> script\"<!--><script>\" </script> \"c\"" },
    { "a script without its comment", "<script><script></script>c", "<script> script\"<script>\" </script> \"c\"" },
    { "style, noscript, iframe, xmp are raw", "<style>a</p></style><noscript><img></noscript><iframe><b></iframe><xmp>&lt;</xmp>",
      "<style> style\"a</p>\" </style> <noscript> noscript\"<img>\" </noscript> <iframe> iframe\"<b>\" </iframe> <xmp> xmp\"&lt;\" </xmp>" },
    { "title and textarea have references", "<title>a &amp; <b></title><textarea>&lt;</p></textarea>",
      "<title> title\"a & <b>\" </title> <textarea> textarea\"<</p>\" </textarea>" },
    { "svg's title and script are not raw text", "<svg><title>a<b/></title><script>b</script></svg><title>c<b></title>",
      "<*svg> <*title> \"a\" <b/> </title> <*script> \"b\" </script> </svg> <title> title\"c<b>\" </title>" },
    { "HTML in a picture", "<svg><foreignObject><title>a<b></title></foreignObject><title/></svg>",
      "<*svg> <*foreignobject> <title> title\"a<b>\" </title> </foreignobject> <*title/> </svg>" },
    { "a picture that was never closed", "<svg><g><p><script>a<b></script>",
      "<*svg> <*g> <p> <script> script\"a<b>\" </script>" },
    { "fonts in a picture", "<svg><font><script/><font color=red><title>a<b>",
      "<*svg> <*font> <*script/> <font color='red'> <title> title\"a<b>\"" },
    { "a self-closed picture", "<svg/><title><b>", "<*svg/> <title> title\"<b>\"" },
    { "formulas", "<math><mi><title>a<b></title></mi></math>",
      "<*math> <*mi> <title> title\"a<b>\" </title> </mi> </math>" },
};
/* clang-format on */

static void check(void **state)
{
    const struct row *row = *state;
    scoped(buf_free) struct buf out = BUF(10000);
    scoped(page_free) struct page *page = page_new(text_of(row->markup), "text/html");
    dump(page, &out);
    assert_string_equal(buf_str(&out), row->want);
}

/* ---- encodings ---- */

/* clang-format off */
static const struct encoded {
    const char *name;
    struct text body;
    const char *content_type;
    const char *charset;
    enum page_encoding how;
    const char *want; /* the markup's end */
} encoded[] = {
    { "a mark before the header", TEXT("\xEF\xBB\xBF\xC3\xA4"), "text/html; charset=latin1", "utf-8", PAGE_ENCODING_BOM, "\xC3\xA4" },
    { "little end first", TEXT("\xFF\xFE" "a\0\xE4\0"), NULL, "utf-16le", PAGE_ENCODING_BOM, "a\xC3\xA4" },
    { "big end first", TEXT("\xFE\xFF\0a\0\xE4"), NULL, "utf-16be", PAGE_ENCODING_BOM, "a\xC3\xA4" },
    { "half a character of UTF-16", TEXT("\xFF\xFE" "a\0\xE4"), NULL, "utf-16le", PAGE_ENCODING_BOM, "a\xEF\xBF\xBD" },
    { "the header", TEXT("\xE4\x80"), "text/html;charset=ISO-8859-1", "windows-1252", PAGE_ENCODING_HEADER, "\xC3\xA4\xE2\x82\xAC" },
    { "the header in quotes", TEXT("\xE4"), "text/html; Charset = \"iso-8859-5\"; x", "iso-8859-5", PAGE_ENCODING_HEADER, "\xD1\x84" },
    { "the header before the meta", TEXT("<meta charset=utf-8>\xE4"), "text/html; charset=windows-1251", "windows-1251", PAGE_ENCODING_HEADER, ">\xD0\xB4" },
    { "a header that nobody knows", TEXT("<meta charset=koi8-r>\xE4"), "text/html; charset=klingon", "koi8-r", PAGE_ENCODING_META, ">\xD0\x94" },
    { "a meta tag", TEXT("<META CHARSET='Shift_JIS'>\x83\x65"), "text/html", "shift_jis", PAGE_ENCODING_META, ">\xE3\x83\x86" },
    { "an old meta tag", TEXT("<meta http-equiv=Content-Type content='text/html; charset=gb2312'>\xC4\xE3"), "", "gbk", PAGE_ENCODING_META, ">\xE4\xBD\xA0" },
    { "another meta tag", TEXT("<meta http-equiv=refresh content='0; charset=gb2312'>a"), "", "utf-8", PAGE_ENCODING_GUESS, ">a" },
    { "one in a comment", TEXT("<!--<meta charset=koi8-r>-->\xC3\xA4"), "", "utf-8", PAGE_ENCODING_GUESS, ">\xC3\xA4" },
    { "UTF-16 in a meta tag is UTF-8", TEXT("<meta charset=utf-16>\xC3\xA4"), "", "utf-8", PAGE_ENCODING_META, ">\xC3\xA4" },
    { "guessed: UTF-8", TEXT("\xC3\xA4"), "", "utf-8", PAGE_ENCODING_GUESS, "\xC3\xA4" },
    { "guessed: windows-1252", TEXT("\xC3\xA4\xFC"), "", "windows-1252", PAGE_ENCODING_GUESS, "\xC3\x83\xC2\xA4\xC3\xBC" },
    { "bad UTF-8", TEXT("a\xFF" "b\xC3"), "text/html; charset=utf-8", "utf-8", PAGE_ENCODING_HEADER, "a\xEF\xBF\xBD" "b\xEF\xBF\xBD" },
    { "NUL", TEXT("a\0b"), "", "utf-8", PAGE_ENCODING_GUESS, "a\xEF\xBF\xBD" "b" },
    { "bad Big5, and what it keeps back", TEXT("\x88\x66\xFF\x88\x66"), "text/html; charset=big5", "big5", PAGE_ENCODING_HEADER, "\xC3\x8A\xEF\xBF\xBD\xC3\x8A" },
    { "nothing at all", TEXT(""), NULL, "utf-8", PAGE_ENCODING_GUESS, "" },
};
/* clang-format on */

static void check_encoded(void **state)
{
    const struct encoded *row = *state;
    scoped(page_free) struct page *page = page_new(row->body, row->content_type);
    enum page_encoding how;
    assert_string_equal(page_charset(page, &how), row->charset);
    assert_int_equal(how, row->how);
    struct text markup = page_markup(page);
    assert_true(markup.size >= strlen(row->want));
    assert_string_equal(markup.bytes + markup.size - strlen(row->want), row->want);
}

/* Only the first 1024 bytes can declare the encoding. */
static void a_late_meta_tag(void **state)
{
    (void)state;
    for (size_t blanks = 1023; blanks <= 1024; blanks++) {
        scoped(buf_free) struct buf body = BUF(2000);
        for (size_t i = 0; i < blanks; i++)
            buf_add_byte(&body, ' ');
        buf_add_str(&body, "<meta charset=koi8-r>");
        scoped(page_free) struct page *page = page_new(buf_text(&body), NULL);
        assert_string_equal(page_charset(page, NULL), blanks == 1023 ? "koi8-r" : "utf-8");
    }
}

/* Characters of two bytes, from an odd place on: some cross the pieces that are converted. */
static void a_long_page(void **state)
{
    (void)state;
    scoped(buf_free) struct buf body = BUF(20000);
    buf_add_byte(&body, 'a');
    for (int i = 0; i < 9000; i++)
        buf_add_str(&body, "\x83\x65");
    scoped(page_free) struct page *page = page_new(buf_text(&body), "text/html; charset=shift_jis");
    struct text markup = page_markup(page);
    assert_int_equal(markup.size, 1 + 9000 * 3);
    for (size_t i = 1; i < markup.size; i += 3)
        assert_memory_equal(markup.bytes + i, "\xE3\x83\x86", 3);
}

/* ---- head, template, base ---- */

static const struct placed {
    const char *name;
    const char *markup; /* with one element x or meta that is looked at */
    const char *element;
    bool in_head;
    bool in_template;
} placed[] = {
    { "first", "<meta>", "meta", true, false },
    { "in the head", "<html><head><title>a</title><script>b</script> <meta>", "meta", true, false },
    { "after the head, before the body", "<head></head> <meta>", "meta", true, false },
    { "after text", "<head>a<meta>", "meta", false, false },
    { "after another element", "<head><div></div><meta>", "meta", false, false },
    { "after a picture", "<head><svg></svg><meta>", "meta", false, false },
    { "another element is not in it", "<head><x>", "x", false, false },
    { "noscript stays in it", "<head><noscript><img></noscript><meta>", "meta", true, false },
    { "what a template holds does not end it", "<template><p>a</p></template><meta>", "meta", true,
      false },
    { "in a template", "<template><meta>", "meta", true, true },
    { "in the outer of two templates", "<template><template></template><x>", "x", true, true },
};

static void check_placed(void **state)
{
    const struct placed *row = *state;
    scoped(page_free) struct page *page = page_new(text_of(row->markup), NULL);
    scoped(page_reader_free) struct page_reader *reader = page_reader_new(page);
    struct page_token token;
    do
        assert_true(page_next(reader, &token));
    while (!page_opens(&token, row->element));
    assert_int_equal(token.in_head, row->in_head);
    assert_int_equal(token.in_template, row->in_template);
}

static const struct based {
    const char *name;
    const char *markup;
    const char *want; /* NULL: none */
} based[] = {
    { "none", "<a href=b>", NULL },
    { "one", "<head><BASE href=' /b?c&amp;d '>", "/b?c&d" },
    { "the first that has an href", "<base target=_top><base href=a><base href=b>", "a" },
    { "not in a comment", "<!--<base href=a>--><template><base href=b></template>", NULL },
};

static void check_based(void **state)
{
    const struct based *row = *state;
    scoped(page_free) struct page *page = page_new(text_of(row->markup), NULL);
    struct text href = TEXT("?");
    assert_int_equal(page_base(page, &href), row->want != NULL);
    assert_true(text_is(href, row->want ? row->want : "?"));
}

static void xml_closes_elements(void **state)
{
    (void)state;
    scoped(buf_free) struct buf out = BUF(1000);
    scoped(page_free) struct page *page =
        page_new(TEXT("<script src='a'/><![CDATA[<b>]]>"), "application/xhtml+xml");
    dump(page, &out);
    assert_string_equal(buf_str(&out), "<script src='a'/> \"<b>\"");
}

static void offsets_are_those_of_the_markup(void **state)
{
    (void)state;
    scoped(page_free) struct page *page = page_new(TEXT("a</>b<p>&lt;"), NULL);
    scoped(page_reader_free) struct page_reader *reader = page_reader_new(page);
    const size_t want[] = { 0, 4, 5, 8 };
    struct page_token token;
    for (size_t i = 0; i < countof(want); i++) {
        assert_true(page_next(reader, &token));
        assert_int_equal(token.offset, want[i]);
    }
    assert_false(page_next(reader, &token));
    assert_false(page_next(reader, &token));
}

static void words(void **state)
{
    (void)state;
    struct text list = TEXT(" a\t bc ");
    struct text word;
    assert_true(page_word(&list, &word) && text_is(word, "a"));
    assert_true(page_word(&list, &word) && text_is(word, "bc"));
    assert_false(page_word(&list, &word));
    assert_true(text_is_any_case(TEXT("NoFollow"), "nofollow"));
    assert_false(text_is_any_case(TEXT("NoFollows"), "nofollow"));
    assert_true(text_has_any_case(TEXT("a NOINDEX b"), "noindex"));
    assert_false(text_has_any_case(TEXT("noinde"), "noindex"));
}

/* ---- the worst two MiB ---- */

static const struct hostile {
    const char *name;
    const char *once; /* before */
    const char *part; /* again and again */
} hostile[] = {
    { "tags that open", "", "<a>" },
    { "tags without end", "", "<a " },
    { "one tag of attributes", "<a ", "b0=1 " },
    { "comments without end", "", "<!--" },
    { "dashes", "<!--", "-" },
    { "bogus comments", "", "<!" },
    { "scripts that end scripts", "<script>", "<!--<script></script>" },
    { "scripts without end", "", "<script>" },
    { "almost ends", "<script>", "</scrip" },
    { "almost ends of a title", "<title>", "</titl" },
    { "references", "", "&NotEqualTilde" },
    { "long numbers", "&#x", "1" },
    { "pictures within pictures", "", "<svg><foreignobject>" },
    { "NUL", "", "" },
    { "bad bytes", "<meta charset=big5>", "\xFF" },
};

static void check_hostile(void **state)
{
    enum { SIZE = 2 << 20 };
    const struct hostile *row = *state;
    scoped(buf_free) struct buf body = BUF(SIZE);
    size_t part_size = MAX(strlen(row->part), 1); /* the empty one means NUL */

    buf_add_str(&body, row->once);
    while (body.size + part_size <= SIZE)
        buf_add(&body, row->part, part_size);
    int64_t start_ms = clock_ms();
    scoped(page_free) struct page *page = page_new(buf_text(&body), NULL);
    scoped(page_reader_free) struct page_reader *reader = page_reader_new(page);
    struct page_token token;
    size_t last = 0;
    while (page_next(reader, &token)) {
        assert_true(token.offset >= last && token.attribute_count <= PAGE_ATTRIBUTES_MAX);
        last = token.offset;
    }
    /* what is quadratic takes minutes */
    assert_true(clock_ms() - start_ms < 20000);
}

static void look_at(const struct text *source, const struct text *integrity)
{
    assert_true(text_is(*source, "a.js"));
    assert_null(integrity);
}

static void the_header_shows_it(void **state)
{
    struct text body = TEXT("<p><script src=a.js>");
    (void)state;
    scoped(page_free) struct page *page = page_new(body, "text/html; charset=utf-8");
    scoped(page_reader_free) struct page_reader *reader = page_reader_new(page);
    struct page_token token;
    while (page_next(reader, &token))
        if (page_opens(&token, "script"))
            look_at(page_attribute(&token, "src"), page_attribute(&token, "integrity"));
}

static void many_attributes(void **state)
{
    (void)state;
    scoped(buf_free) struct buf body = BUF(100000);
    buf_add_str(&body, "<a");
    for (int i = 0; i < 2 * PAGE_ATTRIBUTES_MAX; i++)
        buf_format(&body, " n%d", i);
    buf_add_str(&body, "><b>");
    scoped(page_free) struct page *page = page_new(buf_text(&body), NULL);
    scoped(page_reader_free) struct page_reader *reader = page_reader_new(page);
    struct page_token token;
    assert_true(page_next(reader, &token));
    assert_int_equal(token.attribute_count, PAGE_ATTRIBUTES_MAX);
    assert_non_null(page_attribute(&token, "n511"));
    assert_null(page_attribute(&token, "n512"));
    assert_true(page_next(reader, &token) && page_opens(&token, "b"));
}

int main(void)
{
    const struct CMUnitTest singles[] = {
        cmocka_unit_test(the_header_shows_it),
        cmocka_unit_test(a_late_meta_tag),
        cmocka_unit_test(a_long_page),
        cmocka_unit_test(xml_closes_elements),
        cmocka_unit_test(offsets_are_those_of_the_markup),
        cmocka_unit_test(words),
        cmocka_unit_test(many_attributes),
    };
    return RUN_ROWS(rows, check) + RUN_ROWS(encoded, check_encoded) +
           RUN_ROWS(placed, check_placed) + RUN_ROWS(based, check_based) +
           RUN_ROWS(hostile, check_hostile) + cmocka_run_group_tests(singles, NULL, NULL);
}
