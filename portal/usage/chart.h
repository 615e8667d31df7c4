/*
 * portal/usage/chart.h - credits a day as bars, stacked by group, in SVG.
 *
 * Only classes, no style attributes: the content security policy allows none. The whole is one
 * picture to a screen reader, with a sentence that says what a look would; the table beside it has
 * the numbers. It holds no letters, so that it may be stretched: the page writes scale and dates
 * beside it.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

enum {
    CHART_GROUPS_MAX = 6, /* colours .g1 to .g6 of portal.css; what is more is .g0, "other" */
    CHART_DAYS_MAX = 366,
    CHART_SVG_BYTES = 1 << 20, /* what chart_draw() may need: a day has at most 7 bars */
};

struct chart_day {
    char date[11];                         /* 2026-11-23 */
    int64_t credits[CHART_GROUPS_MAX + 1]; /* by group; below 0 (more given back) shows nothing */
};

struct chart {
    size_t group_count;
    const char *groups[CHART_GROUPS_MAX + 1]; /* titles, in the order of the stack */
    size_t day_count;
    struct chart_day *days; /* every day in order, also those without a call */
};

/* The highest day's credits; 0: there is nothing to draw. */
int64_t chart_peak(const struct chart *chart);

/* The least of 1, 2, 5, 10, 20 … that is not below value: where the scale ends. */
int64_t chart_scale(int64_t value);

/* Append the picture. The chart has at least one day. */
void chart_draw(const struct chart *chart, struct buf *svg);

/* Append a square of a group's colour, for a legend. */
void chart_swatch(size_t group, struct buf *svg);
