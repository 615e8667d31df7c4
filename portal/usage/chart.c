/* portal/usage/chart.c - draws in a coordinate system finer than any screen, which the browser
 * scales. Integers are exact enough. */
#include "portal/usage/chart.h"

#include "base/num.h"
#include "portal/base/numbers.h"

enum {
    WIDTH = 72000,
    HEIGHT = 16000,
    LINE = 100,   /* of the axis, from the edge */
    NARROW = 400, /* at this many days, bars have no gap */
};

static int64_t day_total(const struct chart *chart, size_t day)
{
    int64_t total = 0;
    for (size_t i = 0; i < chart->group_count; i++)
        total += MAX(chart->days[day].credits[i], 0);
    return total;
}

int64_t chart_peak(const struct chart *chart)
{
    int64_t peak = 0;
    for (size_t day = 0; day < chart->day_count; day++) {
        int64_t total = day_total(chart, day);
        peak = MAX(peak, total);
    }
    return peak;
}

int64_t chart_scale(int64_t value)
{
    static const int64_t steps[] = { 1, 2, 5 };
    for (int64_t ten = 1;; ten *= 10)
        for (size_t i = 0; i < 3; i++)
            if (steps[i] * ten >= value || ten > INT64_MAX / 100)
                return steps[i] * ten;
}

/* Group titles come from the operator's files: five characters are escaped in SVG. */
static void add_escaped(struct buf *svg, const char *text)
{
    for (; *text; text++) {
        if (*text == '&')
            buf_add_str(svg, "&amp;");
        else if (*text == '<')
            buf_add_str(svg, "&lt;");
        else if (*text == '>')
            buf_add_str(svg, "&gt;");
        else if (*text == '"')
            buf_add_str(svg, "&quot;");
        else if (*text == '\'')
            buf_add_str(svg, "&#39;");
        else
            buf_add_byte(svg, *text);
    }
}

/* "Credits per day from … to …: 214 in total, most on 2026-11-20 with 60." */
static void add_sentence(const struct chart *chart, struct buf *svg)
{
    char sum_text[NUMBER_BYTES];
    char peak_text[NUMBER_BYTES];
    int64_t sum = 0;
    size_t best = 0;
    for (size_t day = 0; day < chart->day_count; day++) {
        sum += day_total(chart, day);
        if (day_total(chart, day) > day_total(chart, best))
            best = day;
    }
    number_write(sum, sum_text);
    number_write(day_total(chart, best), peak_text);
    buf_format(svg, "Credits per day from %s to %s: %s in total", chart->days[0].date,
               chart->days[chart->day_count - 1].date, sum_text);
    if (sum > 0)
        buf_format(svg, ", most on %s with %s", chart->days[best].date, peak_text);
    buf_add_byte(svg, '.');
}

/* Three lines: zero, half, maximum. */
static void add_axis(struct buf *svg)
{
    for (int part = 0; part <= 2; part++)
        buf_format(svg, "<path class=\"axis\" d=\"M0 %dH%d\"/>",
                   HEIGHT - LINE - (HEIGHT - 2 * LINE) * part / 2, WIDTH);
}

struct bar {
    int x, y, width, height;
};

static void add_bar(const struct chart *chart, size_t day, size_t group, struct bar bar,
                    struct buf *svg)
{
    char number[NUMBER_BYTES];
    credits_write(chart->days[day].credits[group], number);
    buf_format(svg,
               "<rect class=\"bar g%zu\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\"><title>%s, ",
               group < CHART_GROUPS_MAX ? group + 1 : 0, bar.x, bar.y, bar.width, bar.height,
               chart->days[day].date);
    add_escaped(svg, chart->groups[group]);
    buf_format(svg, ": %s</title></rect>", number);
}

static void add_day(const struct chart *chart, size_t day, int64_t top, struct buf *svg)
{
    int step = WIDTH / (int)chart->day_count;
    int width = step > NARROW ? step * 4 / 5 : step;
    int64_t below = 0;
    struct bar bar = { (int)day * WIDTH / (int)chart->day_count + (step - width) / 2, HEIGHT, width,
                       0 };
    for (size_t group = 0; group < chart->group_count; group++) {
        int64_t credits = chart->days[day].credits[group];
        if (credits <= 0)
            continue;
        below += credits;
        int y = HEIGHT - (int)((double)HEIGHT * (double)below / (double)top);
        bar.height = bar.y - y;
        bar.y = y;
        add_bar(chart, day, group, bar, svg);
    }
}

void chart_draw(const struct chart *chart, struct buf *svg)
{
    int64_t peak = chart_peak(chart);
    int64_t top = chart_scale(MAX(peak, 1));
    buf_format(svg,
               "<svg viewBox=\"0 0 %d %d\" preserveAspectRatio=\"none\" role=\"img\" aria-label=\"",
               WIDTH, HEIGHT);
    add_sentence(chart, svg);
    buf_add_str(svg, "\">");
    add_axis(svg);
    for (size_t day = 0; day < chart->day_count; day++)
        add_day(chart, day, top, svg);
    buf_add_str(svg, "</svg>");
}

void chart_swatch(size_t group, struct buf *svg)
{
    buf_format(svg,
               "<svg viewBox=\"0 0 10 10\" aria-hidden=\"true\">"
               "<rect class=\"g%zu\" width=\"10\" height=\"10\"/></svg>",
               group < CHART_GROUPS_MAX ? group + 1 : 0);
}
