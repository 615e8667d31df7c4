/*
 * svc-utils/color.h - parses colors and prints them for images.
 *
 * Accepted: #rgb, #rrggbb, #rgba, #rrggbbaa, the same without #, the CSS color names,
 * `transparent`, rgb(r,g,b) with integers 0..255, and hsl(h,s%,l%) also with an alpha value; case
 * is ignored. Never copy the caller's text into an image: print the parsed color.
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

/* Parse the color of a field. Errors: ERR_INVALID_COLOR with the field's name. */
bool color_parse(const char *field, const char *text, struct color *color,
                 struct err *err) must_check;

/* As color_parse(), and also reject a color that is not opaque. */
bool color_parse_opaque(const char *field, const char *text, struct color *color,
                        struct err *err) must_check;

/* "#rrggbb", without alpha. */
void color_format(char out[static COLOR_TEXT_BYTES], struct color color);

bool color_equal(struct color a, struct color b);

/* The visible color if top is over an opaque bottom. */
struct color color_over(struct color top, struct color bottom);

/* Contrast of two opaque colors, 1 to 21 (WCAG 2.1, "contrast ratio"). */
double color_contrast(struct color a, struct color b);
