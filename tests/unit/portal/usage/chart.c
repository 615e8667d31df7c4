/* tests/unit/portal/usage/chart.c - the drawing, and its text for a screen reader. */
#include "portal/usage/chart.h"

#include <string.h>

#include "base/mem.h"
#include "rows.h"

/* ---- the scale ---- */

static const struct scale_row {
    const char *name;
    int64_t value;
    int64_t want;
} scales[] = {
    { "one", 1, 1 },
    { "two", 2, 2 },
    { "three", 3, 5 },
    { "six", 6, 10 },
    { "eleven", 11, 20 },
    { "a hundred", 100, 100 },
    { "a hundred and one", 101, 200 },
    { "a million", 1000000, 1000000 },
    { "nothing", 0, 1 },
};

static void check_scale(void **state)
{
    const struct scale_row *row = *state;
    assert_int_equal(chart_scale(row->value), row->want);
}

static void the_scale_of_the_largest_number_ends(void **state)
{
    (void)state;
    assert_true(chart_scale(INT64_MAX) > 0);
}

/* ---- the picture: three days, two groups ---- */

static void draw(const int64_t credits[3][2], const char *title, struct buf *svg)
{
    struct chart_day days[3] = { { "2026-11-21" }, { "2026-11-22" }, { "2026-11-23" } };
    for (size_t day = 0; day < 3; day++)
        memcpy(days[day].credits, credits[day], sizeof(credits[day]));
    struct chart chart = { 2, { "Utilities", title }, 3, days };
    chart_draw(&chart, svg);
    assert_false(svg->full);
}

static const struct picture_row {
    const char *name;
    int64_t credits[3][2];
    const char *title;
    const char *has;
    size_t bars;
} pictures[] = {
    { "a bar for each group of a day",
      { { 1, 5 }, { 0, 0 }, { 2, 0 } },
      "Security",
      "<title>2026-11-21, Security: 5 credits</title>",
      3 },
    { "the sentence has sum and peak",
      { { 1, 5 }, { 0, 0 }, { 2, 0 } },
      "Security",
      "aria-label=\"Credits per day from 2026-11-21 to 2026-11-23: 8 in total, most on 2026-11-21 "
      "with "
      "6.\"",
      3 },
    { "no calls", { { 0, 0 }, { 0, 0 }, { 0, 0 } }, "Security", ": 0 in total.\"", 0 },
    { "more given back than taken shows no bar",
      { { -5, 0 }, { 0, 3 }, { 0, 0 } },
      "Security",
      ": 3 in total, most on 2026-11-22 with 3.",
      1 },
    { "a title is escaped",
      { { 0, 1 }, { 0, 0 }, { 0, 0 } },
      "<script>&\"'",
      "&lt;script&gt;&amp;&quot;&#39;: 1 credit</title>",
      1 },
    { "the highest bar ends at the top",
      { { 0, 10 }, { 0, 0 }, { 0, 0 } },
      "Security",
      "y=\"0\" width=\"19200\" height=\"16000\"",
      1 },
};

static void check_picture(void **state)
{
    const struct picture_row *row = *state;
    scoped(buf_free) struct buf svg = BUF(CHART_SVG_BYTES);
    size_t bars = 0;
    draw(row->credits, row->title, &svg);
    if (!strstr(buf_str(&svg), row->has))
        fail_msg("%s", buf_str(&svg));
    for (const char *at = buf_str(&svg); (at = strstr(at, "<rect")); at++)
        bars++;
    assert_int_equal(bars, row->bars);
    assert_null(strstr(buf_str(&svg), "style")); /* the content security policy allows none */
}

static void a_full_year_fits(void **state)
{
    (void)state;
    scoped(buf_free) struct buf svg = BUF(CHART_SVG_BYTES);
    struct chart chart = { CHART_GROUPS_MAX + 1, { NULL }, CHART_DAYS_MAX, NULL };
    for (size_t i = 0; i < chart.group_count; i++)
        chart.groups[i] = "A title of a group that is as long as an operator may make it &&&&&";
    chart.days = mem_array(CHART_DAYS_MAX, sizeof(*chart.days));
    for (size_t day = 0; day < CHART_DAYS_MAX; day++)
        for (size_t i = 0; i < chart.group_count; i++)
            chart.days[day].credits[i] = 100000000000;
    chart_draw(&chart, &svg);
    mem_free(&chart.days);
    assert_false(svg.full);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_scale_of_the_largest_number_ends),
        cmocka_unit_test(a_full_year_fits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL) + RUN_ROWS(scales, check_scale) +
           RUN_ROWS(pictures, check_picture);
}
