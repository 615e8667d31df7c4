/* svc-utils/color.c - parses and compares colors. */
#include "color.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/codec/hex.h"
#include "base/num.h"

static const struct named {
    const char *name;
    uint32_t rgb;
} named[] = {
#define COLOR(name, rgb) { name, rgb },
#include "color.def"
#undef COLOR
};

static int by_name(const void *name, const void *row)
{
    return strcasecmp(name, ((const struct named *)row)->name);
}

static bool parse_name(const char *text, struct color *color)
{
    const struct named *row = bsearch(text, named, countof(named), sizeof(named[0]), by_name);
    if (row)
        *color = (struct color){ (uint8_t)(row->rgb >> 16), (uint8_t)(row->rgb >> 8),
                                 (uint8_t)row->rgb, 255 };
    else if (strcasecmp(text, "transparent") == 0)
        *color = (struct color){ 0 };
    else
        return false;
    return true;
}

/* 3, 4, 6 or 8 digits; a short form has each digit once: #abc is #aabbcc. */
static bool parse_hex(const char *digits, struct color *color)
{
    size_t length = strlen(digits);
    size_t width = length <= 4 ? 1 : 2;
    int channel[4] = { 0, 0, 0, 255 };

    if (length != 3 && length != 4 && length != 6 && length != 8)
        return false;
    for (size_t i = 0; i < length / width; i++) {
        int high = hex_digit(digits[i * width]);
        int low = hex_digit(digits[i * width + width - 1]);
        if (high < 0 || low < 0)
            return false;
        channel[i] = high << 4 | low;
    }
    *color = (struct color){ (uint8_t)channel[0], (uint8_t)channel[1], (uint8_t)channel[2],
                             (uint8_t)channel[3] };
    return true;
}

/* One number of rgb() and the character after it; blanks around the number are allowed. */
static bool parse_channel(const char **at, char end, uint8_t *channel)
{
    int64_t value;
    const char *start = *at + strspn(*at, " ");
    size_t digits = strspn(start, "0123456789");
    const char *behind = start + digits + strspn(start + digits, " ");

    if (!num_parse((struct text){ start, digits }, 255, &value) || *behind != end)
        return false;
    *channel = (uint8_t)value;
    *at = behind + 1;
    return true;
}

static bool parse_function(const char *text, struct color *color)
{
    struct color fresh = { .alpha = 255 };
    if (strncasecmp(text, "rgb(", 4) != 0)
        return false;
    const char *at = text + 4;
    if (!parse_channel(&at, ',', &fresh.red) || !parse_channel(&at, ',', &fresh.green) ||
        !parse_channel(&at, ')', &fresh.blue) || *at != '\0')
        return false;
    *color = fresh;
    return true;
}

bool color_parse(const char *field, const char *text, struct color *color, struct err *err)
{
    if (parse_hex(text + (text[0] == '#'), color) || parse_name(text, color) ||
        parse_function(text, color))
        return true;
    return err_set(err, ERR_INVALID_COLOR,
                   "%s must be a color: #rgb, #rrggbb, #rgba, #rrggbbaa, rgb(r,g,b) or a CSS name",
                   field);
}

bool color_parse_opaque(const char *field, const char *text, struct color *color, struct err *err)
{
    struct color fresh;
    if (!color_parse(field, text, &fresh, err))
        return false;
    if (fresh.alpha < 255)
        return err_set(err, ERR_INVALID_COLOR, "%s must be opaque", field);
    *color = fresh;
    return true;
}

void color_format(char out[static COLOR_TEXT_BYTES], struct color color)
{
    snprintf(out, COLOR_TEXT_BYTES, "#%02x%02x%02x", color.red, color.green, color.blue);
}

bool color_equal(struct color a, struct color b)
{
    return a.red == b.red && a.green == b.green && a.blue == b.blue && a.alpha == b.alpha;
}

static uint8_t blend_channel(uint8_t top, uint8_t bottom, uint8_t alpha)
{
    return (uint8_t)((top * alpha + bottom * (255 - alpha) + 127) / 255);
}

struct color color_over(struct color top, struct color bottom)
{
    return (struct color){ blend_channel(top.red, bottom.red, top.alpha),
                           blend_channel(top.green, bottom.green, top.alpha),
                           blend_channel(top.blue, bottom.blue, top.alpha), 255 };
}

/* The sRGB transfer function of WCAG 2.1, "relative luminance". */
static double linear_channel(uint8_t channel)
{
    double share = channel / 255.0;
    return share <= 0.03928 ? share / 12.92 : pow((share + 0.055) / 1.055, 2.4);
}

static double color_luminance(struct color color)
{
    return 0.2126 * linear_channel(color.red) + 0.7152 * linear_channel(color.green) +
           0.0722 * linear_channel(color.blue);
}

double color_contrast(struct color a, struct color b)
{
    double one = color_luminance(a);
    double other = color_luminance(b);
    return (fmax(one, other) + 0.05) / (fmin(one, other) + 0.05);
}
