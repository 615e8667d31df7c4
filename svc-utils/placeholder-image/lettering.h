/*
 * svc-utils/placeholder-image/lettering.h - breaks a text into lines that fit an image.
 *
 * Widths are estimates, because fonts differ: a Latin character takes 0.6 of the font size, a wide
 * East Asian character or an emoji 1.8 times that, an accent nothing. A line takes 1.2 of the font
 * size.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"

enum {
    LETTERING_PARAGRAPHS_MAX = 10,
    LETTERING_LINES_MAX = 201,   /* 200 code points, each in its line, and an empty line */
    LETTERING_TEXT_BYTES = 1024, /* 200 code points of at most 4 bytes */
};

struct lettering {
    size_t line_count;
    struct text lines[LETTERING_LINES_MAX]; /* of the caller's text */
    bool is_cut;                            /* an ellipsis follows the last line */
    double font_size;
};

#define LETTERING_LINE_PITCH 1.2 /* of the font size */

/*
 * The largest font size at which the paragraphs fit with a margin. Lines break only if that
 * doubles the font size, or if unbroken lines would be smaller than 10 px. If 10 px do not
 * fit, the text is cut; if not even one character fits, line_count
 * is 0.
 */
void lettering_fit(const struct text *paragraphs, size_t count, int64_t width, int64_t height,
                   struct lettering *lettering);

/*
 * Lines at this font size. The text is cut after the last line that fits, but one line, and a
 * character in each line, remain in any case.
 */
void lettering_at(const struct text *paragraphs, size_t count, int64_t width, int64_t height,
                  double font_size, struct lettering *lettering);
