/* svc-utils/placeholder-image/lettering.c - breaks a text into lines that fit an image. */
#include "lettering.h"

#include <assert.h>
#include <math.h>
#include <unigbrk.h>
#include <unilbrk.h>
#include <uniwidth.h>

#include "base/codec/utf8.h"
#include "base/num.h"

static const double character_width = 0.6; /* of the font size */
static const double smallest_px = 10;
static const double largest_px = 400;

/* ---- where a line may end ---- */

struct breaks {
    char words[LETTERING_TEXT_BYTES + 1];     /* by byte: may a line begin here? (UAX #14) */
    char graphemes[LETTERING_TEXT_BYTES + 1]; /* by byte: does a character begin here? (UAX #29) */
};

static void find_breaks(struct text paragraph, struct breaks *breaks)
{
    const uint8_t *bytes = (const uint8_t *)paragraph.bytes;
    assert(paragraph.size <= LETTERING_TEXT_BYTES);
    u8_possible_linebreaks(bytes, paragraph.size, "UTF-8", breaks->words);
    u8_grapheme_breaks(bytes, paragraph.size, breaks->graphemes);
}

/* ---- widths, in characters ---- */

static double rune_width(uint32_t code_point)
{
    int columns = uc_width(code_point, "UTF-8");
    return columns == 2 ? 1.8 : fmax(columns, 0);
}

static double line_width(struct text line)
{
    double width = 0;
    size_t bytes;
    for (; line.size > 0; line.bytes += bytes, line.size -= bytes)
        width += rune_width(utf8_next(line, &bytes));
    return width;
}

static double longest(const struct text *lines, size_t count)
{
    double width = 1;
    for (size_t i = 0; i < count; i++)
        width = fmax(width, line_width(lines[i]));
    return width;
}

/* ---- lines ---- */

struct area {
    double width;  /* of a line, in characters */
    size_t lines;  /* that fit below each other */
    bool in_words; /* a line may end inside a word */
};

static size_t trimmed(struct text text, size_t start, size_t end)
{
    while (end > start && text.bytes[end - 1] == ' ')
        end--;
    return end;
}

/* Where the line that begins at start ends: the end of the paragraph, or the last possible break.
 * A line has at least one character. */
static size_t line_end(struct text paragraph, const struct breaks *breaks, size_t start,
                       const struct area *area)
{
    size_t word = 0;
    size_t grapheme = 0;
    double width = 0;
    size_t bytes;

    for (size_t at = start; at < paragraph.size; at += bytes) {
        if (at > start && breaks->words[at] == UC_BREAK_POSSIBLE)
            word = at;
        if (at > start && breaks->graphemes[at])
            grapheme = at;
        uint32_t code_point = utf8_next(text_skip(paragraph, at), &bytes);
        width += rune_width(code_point);
        if (width <= area->width || code_point == ' ')
            continue;
        if (word > 0)
            return word;
        if (grapheme > 0 && area->in_words)
            return grapheme;
    }
    return paragraph.size;
}

static void add_line(struct lettering *lettering, struct text paragraph, size_t start, size_t end)
{
    assert(lettering->line_count < LETTERING_LINES_MAX);
    lettering->lines[lettering->line_count++] =
        (struct text){ paragraph.bytes + start, trimmed(paragraph, start, end) - start };
}

static void wrap_paragraph(struct text paragraph, const struct area *area,
                           struct lettering *lettering)
{
    struct breaks breaks;
    size_t start = 0;

    find_breaks(paragraph, &breaks);
    do {
        size_t end = line_end(paragraph, &breaks, start, area);
        add_line(lettering, paragraph, start, end);
        start = end;
    } while (start < paragraph.size);
}

static void wrap(const struct text *paragraphs, size_t count, const struct area *area,
                 struct lettering *lettering)
{
    lettering->line_count = 0;
    for (size_t i = 0; i < count; i++)
        wrap_paragraph(paragraphs[i], area, lettering);
}

/* Shorten a line by whole characters until an ellipsis fits behind it; one character remains. */
static struct text shorten(struct text line, double width)
{
    struct breaks breaks;
    size_t end = line.size;

    find_breaks(line, &breaks);
    while (end > 0 && line_width((struct text){ line.bytes, end }) + 1 > width) {
        size_t at = end - 1;
        while (at > 0 && !breaks.graphemes[at])
            at--;
        if (at == 0)
            break;
        end = at;
    }
    return (struct text){ line.bytes, trimmed(line, 0, end) };
}

/* Keep the lines that fit, at least one. */
static void cut(struct lettering *lettering, const struct area *area)
{
    size_t fitting = MAX(area->lines, 1);
    if (lettering->line_count <= fitting)
        return;
    lettering->line_count = fitting;
    lettering->is_cut = true;
    lettering->lines[fitting - 1] = shorten(lettering->lines[fitting - 1], area->width);
}

/* ---- font sizes ---- */

static struct area area_at(double width, double height, double font_size)
{
    /* The tolerance keeps the size that was computed to fit from not fitting by its rounding. */
    return (struct area){ .width = width / (character_width * font_size) + 1e-9,
                          .lines = (size_t)(height / (LETTERING_LINE_PITCH * font_size) + 1e-9) };
}

static bool fits(const struct lettering *lettering, const struct area *area)
{
    double ellipsis = lettering->is_cut ? 1 : 0;
    size_t count = lettering->line_count;
    if (count > area->lines || longest(lettering->lines, count) > area->width)
        return false;
    return count == 0 || line_width(lettering->lines[count - 1]) + ellipsis <= area->width;
}

/* The largest font size, between these, at which the text fits when its lines break. */
static bool fit_wrapped(const struct text *paragraphs, size_t count, double width, double height,
                        double least, double most, struct lettering *lettering)
{
    static const double step = 0.97;
    for (double size = most; size >= least; size *= step) {
        struct area area = area_at(width, height, size);
        wrap(paragraphs, count, &area, lettering);
        if (fits(lettering, &area)) {
            lettering->font_size = floor(size * 10) / 10;
            return true;
        }
    }
    return false;
}

/* 10 px; cut or, if nothing fits, left out. */
static void fit_smallest(const struct text *paragraphs, size_t count, double width, double height,
                         struct lettering *lettering)
{
    struct area area = area_at(width, height, smallest_px);
    area.in_words = true;
    lettering->font_size = smallest_px;
    wrap(paragraphs, count, &area, lettering);
    cut(lettering, &area);
    if (!fits(lettering, &area))
        *lettering = (struct lettering){ .font_size = smallest_px };
}

void lettering_fit(const struct text *paragraphs, size_t count, int64_t image_width,
                   int64_t image_height, struct lettering *lettering)
{
    double width = 0.9 * (double)image_width;
    double height = 0.8 * (double)image_height;
    double most = fmin(fmax(0.2 * (double)MIN(image_width, image_height), smallest_px), largest_px);
    double unbroken = fmin(fmin(most, width / (character_width * longest(paragraphs, count))),
                           height / (LETTERING_LINE_PITCH * (double)MAX(count, 1)));
    double least = fmax(2 * unbroken, smallest_px);

    *lettering = (struct lettering){ 0 };
    if (fit_wrapped(paragraphs, count, width, height, least, most, lettering))
        return;
    if (unbroken < smallest_px) {
        fit_smallest(paragraphs, count, width, height, lettering);
        return;
    }
    lettering->font_size = round(unbroken * 10) / 10;
    lettering->line_count = count;
    for (size_t i = 0; i < count; i++)
        lettering->lines[i] = paragraphs[i];
}

void lettering_at(const struct text *paragraphs, size_t count, int64_t width, int64_t height,
                  double font_size, struct lettering *lettering)
{
    struct area area = area_at((double)width, (double)height, font_size);
    area.in_words = true;
    *lettering = (struct lettering){ .font_size = font_size };
    wrap(paragraphs, count, &area, lettering);
    cut(lettering, &area);
}
