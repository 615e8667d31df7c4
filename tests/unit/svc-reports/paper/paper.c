/* tests/unit/svc-reports/paper/paper.c - texts stay texts, wherever they are put; numbers as people
 * read them. */
#include "paper/paper.h"

#include <string.h>

#include "paper/words.h"
#include "rows.h"
#include "text/json.h"

#define HOSTILE "</style></title><script src=\"//a\">'&x\"'\x01\n\xE2\x80\xAE<!--"
#define ESCAPED                                                                            \
    "&lt;/style&gt;&lt;/title&gt;&lt;script src=&quot;//a&quot;&gt;&#39;&amp;x&quot;&#39;" \
    "  \xE2\x80\xAE&lt;!--"

static void fill(struct paper *paper)
{
    static const char *const heads[] = { HOSTILE, "b" };
    paper_begin(paper, HOSTILE, HOSTILE, "2026-11-21T10:44:00.000Z");
    paper_grade(paper, TONE_BAD, HOSTILE, HOSTILE);
    paper_section(paper, HOSTILE);
    paper_text(paper, HOSTILE);
    paper_small(paper, HOSTILE);
    paper_note(paper, TONE_FAIR, HOSTILE);
    paper_figures_begin(paper);
    paper_figure(paper, HOSTILE, HOSTILE);
    paper_figures_end(paper);
    paper_bar(paper, HOSTILE, HOSTILE, 1000, TONE_GOOD);
    paper_table_begin(paper, heads, countof(heads));
    paper_cell(paper, HOSTILE);
    paper_cell(paper, HOSTILE);
    paper_table_end(paper);
    paper_finding_begin(paper, TONE_PLAIN, HOSTILE, HOSTILE, HOSTILE, HOSTILE);
    paper_item(paper, HOSTILE, HOSTILE, HOSTILE);
    paper_finding_end(paper);
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
    scoped(paper_free) struct paper paper = PAPER;
    fill(&paper);
    const char *html = buf_str(&paper.html);
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
    scoped(paper_free) struct paper paper = PAPER;
    paper_begin(&paper, NULL, NULL, "2026-11-21T10:44:00.000Z");
    paper_text(&paper, NULL);
    paper_item(&paper, "a", NULL, NULL);
    assert_non_null(strstr(buf_str(&paper.html), "<p class=\"text\"></p>"));
}

/* ---- numbers ---- */

static const struct row {
    const char *name;
    struct words (*write)(double value);
    double value;
} rows[] = {
    { "0 B", size_words, 0 },           { "999 B", size_words, 999 },
    { "1.0 kB", size_words, 1000 },     { "999.9 kB", size_words, 999949 },
    { "1.00 MB", size_words, 999950 },  { "15.73 MB", size_words, 15728640 },
    { "1000.00 GB", size_words, 1e12 }, { "0.0 ms", ms_words, 0.04 },
    { "99.9 ms", ms_words, 99.94 },     { "100 ms", ms_words, 99.95 },
    { "1.00 s", ms_words, 999.5 },      { "88 \xC2\xB5g", gram_words, 0.000088 },
    { "1.81 mg", gram_words, 0.00181 }, { "0.242 g", gram_words, 0.24206 },
    { "29.05 g", gram_words, 29.0472 }, { "2.42 kg", gram_words, 2420.6 },
    { "1.00 t", gram_words, 1e6 },      { "0", count_words, 0 },
    { "17.5", count_words, 17.5 },      { "999", count_words, 999 },
    { "1,000", count_words, 1000 },     { "10,000,000", count_words, 1e7 },
    { "8.5 %", percent_words, 8.52 },
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
    };
    return cmocka_run_group_tests(tests, NULL, NULL) + RUN_ROWS(rows, check);
}
