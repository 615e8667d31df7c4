/*
 * svc-utils/color.h - colours as people write them and as an image needs them.
 *
 * Accepted: #rgb, #rrggbb, #rgba, #rrggbbaa, the same without #, the named colours of CSS,
 * `transparent`, rgb(r,g,b) with whole numbers 0..255; letters in either case. What a caller wrote
 * is never copied into an image: print what was parsed.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

struct color {
    uint8_t red, green, blue;
    uint8_t alpha; /* 255 is opaque */
};

enum { COLOR_TEXT_BYTES = 8 };

/* Read the colour of a field. Errors: ERR_INVALID_COLOR naming the field. */
bool color_parse(const char *field, const char *text, struct color *color,
                 struct err *err) must_check;

/* The same where alpha makes no sense: a colour that is not opaque is refused too. */
bool color_parse_opaque(const char *field, const char *text, struct color *color,
                        struct err *err) must_check;

/* "#rrggbb", without alpha. */
void color_format(char out[static COLOR_TEXT_BYTES], struct color color);

bool color_equal(struct color a, struct color b);

/* What is seen when top lies over an opaque bottom. */
struct color color_over(struct color top, struct color bottom);

/* Contrast of two opaque colours, 1 to 21 (WCAG 2.1, "contrast ratio"). */
double color_contrast(struct color a, struct color b);
