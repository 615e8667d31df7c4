/* tests/unit/svc-reports/html-report/html-report.c - escaping in every place, and number
 * formats. */
#include "html-report/html-report.h"

#include <string.h>

#include "html-report/quantities.h"
#include "rows.h"
#include "text/json.h"

#define HOSTILE "</style></title><script src=\"//a\">'&x\"'\x01\n\xE2\x80\xAE<!--"
#define ESCAPED                                                                            \
    "&lt;/style&gt;&lt;/title&gt;&lt;script src=&quot;//a&quot;&gt;&#39;&amp;x&quot;&#39;" \
    "  \xE2\x80\xAE&lt;!--"

static void fill(struct html_report *page)
{
    static const char *const heads[] = { HOSTILE, "b" };
    html_report_begin(page, HOSTILE, HOSTILE, "2026-11-21T10:44:00.000Z");
    html_report_grade(page, TONE_BAD, HOSTILE, HOSTILE);
    html_report_section(page, HOSTILE);
    html_report_text(page, HOSTILE);
    html_report_small(page, HOSTILE);
    html_report_note(page, TONE_FAIR, HOSTILE);
    html_report_figures_begin(page);
    html_report_figure(page, HOSTILE, HOSTILE);
    html_report_figures_end(page);
    html_report_bar(page, HOSTILE, HOSTILE, 1000, TONE_GOOD);
    html_report_table_begin(page, heads, countof(heads));
    html_report_cell(page, HOSTILE);
    html_report_cell(page, HOSTILE);
    html_report_table_end(page);
    html_report_finding_begin(page, TONE_PLAIN, HOSTILE, HOSTILE, HOSTILE, HOSTILE);
    html_report_item(page, HOSTILE, HOSTILE, HOSTILE);
    html_report_finding_end(page);
}

static size_t count(const char *text, const char *part)
{
    size_t found = 0;
    while ((text = strstr(text, part))) {
        found++;
        text += strlen(part);
    }
    return found;
}

static void texts_are_texts(void **state)
{
    (void)state;
    scoped(html_report_free) struct html_report page = HTML_REPORT;
    fill(&page);
    const char *html = buf_str(&page.html);
    assert_int_equal(count(html, ESCAPED), 25);
    assert_null(strstr(html, "<script"));
    assert_null(strstr(html, "<!--"));
    assert_int_equal(count(html, "</style"), 1);
    assert_int_equal(count(html, "</title"), 1);
    assert_non_null(strstr(html, "width:100%"));
    assert_non_null(strstr(html, "2026-11-21 10:44 UTC"));
}

static void nothing_is_text_too(void **state)
{
    (void)state;
    scoped(html_report_free) struct html_report page = HTML_REPORT;
    html_report_begin(&page, NULL, NULL, "2026-11-21T10:44:00.000Z");
    html_report_text(&page, NULL);
    html_report_item(&page, "a", NULL, NULL);
    assert_non_null(strstr(buf_str(&page.html), "<p class=\"text\"></p>"));
}

/* A file of any bytes stays in the attribute. */
static void a_picture_is_in_the_page(void **state)
{
    (void)state;
    static const char webp[] = "\"><script>\xff";
    scoped(html_report_free) struct html_report page = HTML_REPORT;
    html_report_begin(&page, "a", "b", "2026-11-21T10:44:00.000Z");
    assert_false(page.has_picture);
    html_report_picture(&page, text_of(webp), 1366, 768, HOSTILE);
    assert_true(page.has_picture);
    assert_non_null(strstr(buf_str(&page.html),
                           "<img class=\"picture\" width=\"1366\" height=\"768\" alt=\"" ESCAPED
                           "\" src=\"data:image/webp;base64,Ij48c2NyaXB0Pv8=\">"));
    assert_null(strstr(buf_str(&page.html), "<script"));
}

/* ---- numbers ---- */

static const struct row {
    const char *name;
    struct quantity (*write)(double value);
    double value;
} rows[] = {
    { "0 B", size_text, 0 },           { "999 B", size_text, 999 },
    { "1.0 kB", size_text, 1000 },     { "999.9 kB", size_text, 999949 },
    { "1.00 MB", size_text, 999950 },  { "15.73 MB", size_text, 15728640 },
    { "1000.00 GB", size_text, 1e12 }, { "0.0 ms", ms_text, 0.04 },
    { "99.9 ms", ms_text, 99.94 },     { "100 ms", ms_text, 99.95 },
    { "1.00 s", ms_text, 999.5 },      { "88 \xC2\xB5g", gram_text, 0.000088 },
    { "1.81 mg", gram_text, 0.00181 }, { "0.242 g", gram_text, 0.24206 },
    { "29.05 g", gram_text, 29.0472 }, { "2.42 kg", gram_text, 2420.6 },
    { "1.00 t", gram_text, 1e6 },      { "0", count_text, 0 },
    { "17.5", count_text, 17.5 },      { "999", count_text, 999 },
    { "1,000", count_text, 1000 },     { "10,000,000", count_text, 1e7 },
    { "8.5 %", percent_text, 8.52 },
};

static void check(void **state)
{
    const struct row *row = *state;
    assert_string_equal(row->write(row->value).text, row->name);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(texts_are_texts),
        cmocka_unit_test(nothing_is_text_too),
        cmocka_unit_test(a_picture_is_in_the_page),
    };
    return cmocka_run_group_tests(tests, NULL, NULL) + RUN_ROWS(rows, check);
}
