/*
 * svc-utils/placeholder-image/tests/placeholder-image.c - sizes, colors, lines, fonts, escaping,
 * headers.
 */
#include <string.h>

#include "base/codec/utf8.h"
#include "tool.h"
#include "tools.h"

#define HEBREW "%D7%A9%D7%9C%D7%95%D7%9D"

static const struct row {
    const char *name;
    const char *query;
    const char *code;   /* NULL: success */
    const char *has;    /* the image contains this; NULL: any */
    const char *has_no; /* the image does not contain this; NULL: any */
} rows[] = {
    { "the whole of it", "", NULL,
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"600\" height=\"400\" viewBox=\"0 0 600 "
      "400\" role=\"img\" aria-label=\"600 × 400\"><rect width=\"600\" height=\"400\" "
      "fill=\"#cccccc\"/><text x=\"50%\" y=\"200\" fill=\"#333333\" font-family=\"sans-serif\" "
      "font-size=\"80\" text-anchor=\"middle\" dominant-baseline=\"central\">600 × "
      "400</text></svg>",
      NULL },

    { "width and height", "width=300&height=200", NULL, " width=\"300\" height=\"200\" viewBox",
      NULL },
    { "short names", "w=300&h=200", NULL, " width=\"300\" height=\"200\" viewBox", NULL },
    { "width alone is a square", "w=300", NULL, " width=\"300\" height=\"300\" viewBox", NULL },
    { "height alone is a square", "h=200", NULL, " width=\"200\" height=\"200\" viewBox", NULL },
    { "size", "size=300x200", NULL, " width=\"300\" height=\"200\" viewBox", NULL },
    { "size with the multiplication sign", "dimensions=300%C3%97200", NULL,
      " width=\"300\" height=\"200\" viewBox", NULL },
    { "size of a square", "size=64", NULL, " width=\"64\" height=\"64\" viewBox", NULL },
    { "width before size", "size=300X200&w=10", NULL, " width=\"10\" height=\"200\" viewBox",
      NULL },
    { "the largest", "size=4000x4000", NULL, " width=\"4000\" height=\"4000\" viewBox", NULL },
    { "the smallest", "size=1x1", NULL, "width=\"1\" height=\"1\" viewBox", NULL },
    { "twice as large", "size=300x200@2x", NULL,
      " width=\"600\" height=\"400\" viewBox=\"0 0 300 200\" role=\"img\" aria-label=\"300 × 200\"",
      NULL },
    { "a square, three times as large", "size=50@3x", NULL,
      " width=\"150\" height=\"150\" viewBox=\"0 0 50 50\"", NULL },
    { "a width is scaled, too", "size=50@2x&w=70", NULL,
      " width=\"140\" height=\"100\" viewBox=\"0 0 70 50\"", NULL },
    { "the largest scaled", "size=2000@2x", NULL, " width=\"4000\"", NULL },
    { "too large when scaled", "size=2001x10@2x", "invalid_value", NULL, NULL },
    { "five times as large", "size=10@5x", "invalid_value", NULL, NULL },
    { "a scale alone", "size=@2x", "invalid_value", NULL, NULL },
    { "no width", "width=0", "invalid_value", NULL, NULL },
    { "too wide", "width=4001", "invalid_value", NULL, NULL },
    { "width as a word", "w=ten", "invalid_value", NULL, NULL },
    { "an empty width", "w=", "invalid_value", NULL, NULL },
    { "a negative width", "w=-5", "invalid_value", NULL, NULL },
    { "size of nothing", "size=0x10", "invalid_value", NULL, NULL },
    { "size too high", "size=10x4001", "invalid_value", NULL, NULL },
    { "size with three sides", "size=1x2x3", "invalid_value", NULL, NULL },
    { "size without a side", "size=10x", "invalid_value", NULL, NULL },
    { "size with a line feed", "size=10%0A", "invalid_value", NULL, NULL },

    { "background", "bg=navy", NULL, "fill=\"#000080\"/>", "fill-opacity" },
    { "translucent background", "background=%23ff000080", NULL,
      "fill=\"#ff0000\" fill-opacity=\"0.502\"/>", NULL },
    { "on transparent, dark grey", "bg=transparent", NULL, "fill=\"#333333\"", "#ffffff" },
    { "on black, white", "bg=000", NULL, "<text x=\"50%\" y=\"200\" fill=\"#ffffff\"", NULL },
    { "white where its contrast is 4.54", "bg=767676", NULL,
      "<text x=\"50%\" y=\"200\" fill=\"#ffffff\"", NULL },
    { "on middle grey, black: dark grey is too weak", "bg=808080", NULL,
      "<text x=\"50%\" y=\"200\" fill=\"#000000\"", NULL },
    { "translucent black counts as light grey", "bg=%2300000020", NULL,
      "<text x=\"50%\" y=\"200\" fill=\"#333333\"", NULL },
    { "text color", "color=rgb(1,2,3)", NULL, "fill=\"#010203\"", NULL },
    { "blanks by plus", "color=rgb(1,+2,+3)", NULL, "fill=\"#010203\"", NULL },
    { "the canonical name wins", "color=red&text_color=blue", NULL, "fill=\"#0000ff\"", "ff0000" },
    { "a translucent text", "fg=%23ff000080", "invalid_color", NULL, NULL },
    { "an unknown color", "bg=bleu", "invalid_color", NULL, NULL },
    { "an empty color", "bg=", "invalid_color", NULL, NULL },
    { "markup as color", "bg=%22%2F%3E%3Cscript%3E", "invalid_color", NULL, NULL },
    { "text like its background", "bg=fff&fg=white", "invalid_color", NULL, NULL },

    { "text", "text=Hello+World", NULL, ">Hello World</text>", NULL },
    { "label", "label=x", NULL, "aria-label=\"x\"", NULL },
    { "no text", "text=", NULL,
      "aria-label=\"\"><rect width=\"600\" height=\"400\" "
      "fill=\"#cccccc\"/></svg>",
      "<text" },
    { "escaped", "text=%3Cscript%3E%26%22%27", NULL, ">&lt;script&gt;&amp;&quot;&#39;</text>",
      "<script" },
    { "escaped in the attribute", "text=%22+onload=%22x", NULL,
      "aria-label=\"&quot; onload=&quot;x\"", NULL },
    { "two characters break a line", "text=a%5Cnb", NULL,
      "y=\"152\" fill=\"#333333\" font-family=\"sans-serif\" font-size=\"80\" "
      "text-anchor=\"middle\" dominant-baseline=\"central\">a</text><text x=\"50%\" y=\"248\"",
      NULL },
    { "a line feed breaks a line", "text=a%0Ab", NULL, ">a</text><text", NULL },
    { "CR LF is one break", "text=a%0D%0Ab", NULL, "y=\"152\"", NULL },
    { "a lone CR goes", "text=a%0Db", NULL, ">ab</text>", NULL },
    { "an empty line is a line", "text=a%0A%0Ab", NULL, "central\"></text>", NULL },
    { "also at the end", "text=a%0A", NULL, ">a</text><text", NULL },
    { "the first line is the label", "text=one%5Cntwo", NULL, "aria-label=\"one\"", NULL },
    { "a tab is a blank", "text=a%09b", NULL, ">a b</text>", NULL },
    { "controls and non-characters go", "text=a%01%08%0B%0C%0E%1F%EF%BF%BE%EF%BF%BFb", NULL,
      ">ab</text>", NULL },
    { "ten lines", "text=1%0A2%0A3%0A4%0A5%0A6%0A7%0A8%0A9%0A10", NULL, ">10</text>", NULL },
    { "eleven lines", "text=1%0A2%0A3%0A4%0A5%0A6%0A7%0A8%0A9%0A10%0A", "invalid_value", NULL,
      NULL },
    { "right to left", "text=" HEBREW, NULL, " direction=\"rtl\">", NULL },
    { "Arabic runs so too", "text=%D8%B3%D9%84%D8%A7%D9%85", NULL, " direction=\"rtl\">", NULL },
    { "digits are not strong", "text=12+" HEBREW, NULL, " direction=\"rtl\">", NULL },
    { "left to right first", "text=a" HEBREW, NULL, NULL, "direction" },
    { "each line its own way", "text=a%0A" HEBREW, NULL, "central\">a</text>", NULL },
    { "NUL", "text=%00", "invalid_query", NULL, NULL },
    { "not UTF-8", "text=%FF", "invalid_query", NULL, NULL },
    { "bad escape", "text=%4", "invalid_query", NULL, NULL },

    { "font size", "font_size=1000", NULL, "font-size=\"1000\"", NULL },
    { "font size 0", "font_size=0", "invalid_value", NULL, NULL },
    { "font size too large", "font_size=1001", "invalid_value", NULL, NULL },
    { "a long line is fitted", "text=aaaaaaaaaaaaaaaaaaaa", NULL, "font-size=\"45\"", NULL },
    { "wide characters take 1.8",
      "text=%E4%B8%AD%E4%B8%AD%E4%B8%AD%E4%B8%AD%E4%B8%AD%E4%B8%AD%E4%B8%AD%E4%B8%AD%E4%B8%AD%E4%"
      "B8%AD",
      NULL, "font-size=\"50\"", NULL },
    { "emoji too",
      "text=%F0%9F%98%80%F0%9F%98%80%F0%9F%98%80%F0%9F%98%80%F0%9F%98%80%F0%9F%98%80%F0%9F%98%80"
      "%F0%9F%98%80%F0%9F%98%80%F0%9F%98%80",
      NULL, "font-size=\"50\"", NULL },
    { "accents take no room",
      "text=a%CC%81a%CC%81a%CC%81a%CC%81a%CC%81a%CC%81a%CC%81a%CC%81a%CC%81"
      "a%CC%81a%CC%81a%CC%81a%CC%81a%CC%81a%CC%81a%CC%81a%CC%81a%CC%81a%CC%81a%CC%81",
      NULL, "font-size=\"45\"", NULL },
    { "one decimal", "w=100&h=100&text=aaaaaaaaaaaaaa", NULL, "font-size=\"10.7\"", NULL },
    { "six lines are fitted", "h=100&w=600&text=1%0A2%0A3%0A4%0A5%0A6", NULL, "font-size=\"11.1\"",
      NULL },
    { "eight lines do not fit at 10 px, so two are cut off",
      "h=100&w=600&text=1%0A2%0A3%0A4%0A5%0A6%0A7%0A8", NULL, "central\">6…</text></svg>", ">7" },
    { "cut lines have 10 px", "h=30&w=600&text=1%0A2%0A3", NULL, "font-size=\"10\"", ">3" },

    { "a long text wraps", "w=300&h=200&text=The+quick+brown+fox+jumps+over+the+lazy+dog", NULL,
      ">The quick</text><text", "…" },
    { "wrapped lines have no blanks at their ends",
      "w=300&h=200&text=The+quick+brown+fox+jumps+over+the+lazy+dog", NULL,
      ">the lazy dog</text></svg>", " </text>" },
    { "a text that is large enough does not wrap", "w=120&h=600", NULL, ">120 × 600</text>", NULL },
    { "wrapped lines are as large as possible",
      "w=300&h=200&text=The+quick+brown+fox+jumps+over+the+lazy+dog", NULL, "font-size=\"33",
      NULL },
    { "Chinese wraps without blanks",
      "w=100&h=100&text=%E4%B8%AD%E4%B8%AD%E4%B8%AD%E4%B8%AD%E4%B8%AD%E4%B8%AD%E4%B8%AD%E4%B8%AD%"
      "E4%"
      "B8%AD%E4%B8%AD",
      NULL, ">中中中中</text><text", NULL },
    { "a long word breaks only at 10 px", "w=100&h=100&text=aaaaaaaaaaaaaaaaaaaa", NULL,
      "font-size=\"10\" text-anchor=\"middle\" dominant-baseline=\"central\">aaaaaaaaaaaaaaa</text>"
      "<text x=\"50%\" y=\"56\"",
      NULL },
    { "a long text is cut", "w=60&h=20&text=The+quick+brown+fox", NULL, ">The quic…</text></svg>",
      "brown</text>" },
    { "the label is whole", "w=60&h=20&text=The+quick+brown+fox", NULL,
      "aria-label=\"The quick brown fox\"", NULL },
    { "accents are not cut from their letters",
      "w=24&h=20&text=%65%CC%81%65%CC%81%65%CC%81%65%CC%81", NULL, ">e\u0301e\u0301…</text>",
      NULL },
    { "a character and an ellipsis do not fit", "w=10&h=16&text=abcdef", NULL, "<rect", "<text" },
    { "one character fits", "w=16&h=16&text=A", NULL, ">A</text>", NULL },
    { "too low for 10 px", "w=600&h=14", NULL, "/></svg>", "<text" },
    { "small, but wide enough", "w=40&h=40&text=Hi", NULL, "font-size=\"10\"", NULL },

    { "a font size holds, and its text wraps", "w=200&h=100&font_size=30&text=Hello+wide+World",
      NULL,
      "font-size=\"30\" text-anchor=\"middle\" dominant-baseline=\"central\">Hello wide</text>",
      "…" },
    { "a font size holds below 10", "w=600&h=14&font_size=4", NULL, "font-size=\"4\"", NULL },
    { "at a font size, lines that do not fit are cut",
      "w=100&h=60&font_size=20&text=one+two+three+four+five", NULL, ">three…</text></svg>",
      ">four" },
    { "one line remains at any font size", "w=20&h=10&font_size=100&text=ab", NULL, ">a…</text>",
      NULL },
    { "never above 400", "size=4000", NULL, "font-size=\"400\"", NULL },
    { "serif", "font=serif", NULL, "font-family=\"serif\"", NULL },
    { "mono", "font=mono", NULL, "font-family=\"monospace\"", NULL },
    { "another font", "font=Arial", "invalid_value", NULL, NULL },
    { "svg", "format=svg", NULL, "<svg", NULL },
    { "another format", "format=png", "invalid_value", NULL, NULL },
    { "unknown parameters are ignored", "retina=1&x", NULL, ">600 × 400</text>", NULL },
};

static void check(void **state)
{
    const struct row *row = *state;
    scoped(answer_free) struct answer answer = { 0 };
    scoped(json_free) cJSON *result = json_object();
    struct err err = { 0 };

    bool ok = run_tool(placeholder_image, "placeholder-image", row->query, result, &answer, &err);
    assert_string_equal(err_code(err.kind), row->code ? row->code : "");
    assert_int_equal(ok, row->code == NULL);
    if (!ok)
        return;
    const char *svg = buf_str(&answer.body);
    assert_string_equal(answer.content_type, "image/svg+xml");
    if ((row->has && !strstr(svg, row->has)) || (row->has_no && strstr(svg, row->has_no)))
        fail_msg("got %s", svg);
}

static const char *header(const struct answer *answer, const char *name)
{
    for (size_t i = 0; i < answer->header_count; i++)
        if (strcmp(answer->header[i].name, name) == 0)
            return answer->header[i].value;
    return "";
}

static void headers(void **state)
{
    (void)state;
    scoped(answer_free) struct answer answer = { 0 };
    scoped(answer_free) struct answer same = { 0 };
    scoped(answer_free) struct answer other = { 0 };
    struct err err = { 0 };

    assert_true(run_tool(placeholder_image, "placeholder-image", "", NULL, &answer, &err));
    assert_true(run_tool(placeholder_image, "placeholder-image", "w=600&h=400", NULL, &same, &err));
    assert_true(run_tool(placeholder_image, "placeholder-image", "w=1", NULL, &other, &err));
    assert_int_equal(answer.header_count, 4);
    assert_string_equal(header(&answer, "X-Content-Type-Options"), "nosniff");
    assert_string_equal(header(&answer, "Content-Security-Policy"),
                        "default-src 'none'; style-src 'unsafe-inline'; sandbox");
    assert_string_equal(header(&answer, "Cache-Control"), "private, max-age=86400");
    assert_int_equal(strlen(header(&answer, "ETag")), 34);
    assert_string_equal(header(&answer, "ETag"), header(&same, "ETag"));
    assert_string_not_equal(header(&answer, "ETag"), header(&other, "ETag"));
}

/* 200 code points that each take the maximum number of bytes. */
static void longest_text(void **state)
{
    (void)state;
    static const char *const units[] = { "%22", "%F0%9F%98%80" };
    for (size_t unit = 0; unit < countof(units); unit++) {
        for (size_t length = 200; length <= 201; length++) {
            scoped(buf_free) struct buf query = BUF(1 << 16);
            scoped(answer_free) struct answer answer = { 0 };
            struct err err = { 0 };
            buf_add_str(&query, "text=");
            for (size_t i = 0; i < length; i++)
                buf_add_str(&query, units[unit]);
            bool ok = run_tool(placeholder_image, "placeholder-image", buf_str(&query), NULL,
                               &answer, &err);
            assert_int_equal(ok, length == 200);
            assert_int_equal(err.kind, ok ? ERR_NONE : ERR_TOO_LONG);
            if (ok)
                assert_non_null(strstr(buf_str(&answer.body), "</text></svg>"));
        }
    }
}

int main(void)
{
    const struct CMUnitTest singles[] = {
        cmocka_unit_test(headers),
        cmocka_unit_test(longest_text),
    };
    return RUN_ROWS(rows, check) + cmocka_run_group_tests(singles, NULL, NULL);
}
