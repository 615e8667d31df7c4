/*
 * portal/usage/chart.h - credits per day as a stacked bar chart by group, in SVG.
 *
 * It uses only classes, because the content security policy forbids style attributes. For screen
 * readers it is one image with a sentence; the table next to it has the numbers. It contains no
 * text, so that it can be scaled: the page shows scale and dates.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

enum {
    CHART_GROUPS_MAX = 6, /* colors .g1 to .g6 of portal.css; further groups are .g0, "other" */
    CHART_DAYS_MAX = 366,
    CHART_SVG_BYTES = 1 << 20, /* enough for chart_draw(): a day has at most 7 bars */
};

struct chart_day {
    char date[11];                         /* 2026-11-23 */
    int64_t credits[CHART_GROUPS_MAX + 1]; /* by group; a negative sum (refunds) shows nothing */
};

struct chart {
    size_t group_count;
    const char *groups[CHART_GROUPS_MAX + 1]; /* titles, in stacking order */
    size_t day_count;
    struct chart_day *days; /* every day in order, also days without calls */
};

/* The credits of the highest day; 0: the chart is empty. */
int64_t chart_peak(const struct chart *chart);

/* The end of the scale: the smallest of 1, 2, 5, 10, 20 … that is not below value. */
int64_t chart_scale(int64_t value);

/* Append the image. The chart has at least one day. */
void chart_draw(const struct chart *chart, struct buf *svg);

/* Append a square in a group's color, for the legend. */
void chart_swatch(size_t group, struct buf *svg);
