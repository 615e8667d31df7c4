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

static bool parse_rgb(const char *text, struct color *color)
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

/* Skip blanks, and one separator if the text has it here. */
static const char *skip_separator(const char *at, char separator)
{
    at += strspn(at, " ");
    if (*at == separator)
        at++;
    return at + strspn(at, " ");
}

/* Digits with an optional fraction, and the unit if it follows; at most 9 characters. */
static bool parse_decimal(const char **at, const char *unit, double *value)
{
    enum { DECIMAL_CHARACTERS = 9 };
    size_t length = strspn(*at, "0123456789");
    if (length > 0 && (*at)[length] == '.')
        length += 1 + strspn(*at + length + 1, "0123456789");
    if (length == 0 || length > DECIMAL_CHARACTERS)
        return false;
    *value = strtod(*at, NULL);
    *at += length;
    if (strncasecmp(*at, unit, strlen(unit)) == 0)
        *at += strlen(unit);
    return true;
}

static bool parse_share(const char **at, double *share)
{
    double percent;
    if (!parse_decimal(at, "%", &percent) || (*at)[-1] != '%' || percent > 100)
        return false;
    *share = percent / 100;
    return true;
}

/* An alpha value from 0 to 1 or from 0 % to 100 %. */
static bool parse_alpha(const char **at, uint8_t *alpha)
{
    double value;
    if (!parse_decimal(at, "%", &value))
        return false;
    if ((*at)[-1] == '%')
        value /= 100;
    if (value > 1)
        return false;
    *alpha = (uint8_t)lround(value * 255);
    return true;
}

/* CSS Color Module Level 4, section 7.1, "Converting HSL Colors to sRGB". */
static uint8_t hsl_channel(double hue, double saturation, double lightness, int offset)
{
    double k = fmod(offset + hue / 30, 12);
    double chroma = saturation * fmin(lightness, 1 - lightness);
    return (uint8_t)lround(255 * (lightness - chroma * fmax(-1, fmin(fmin(k - 3, 9 - k), 1))));
}

/* hsl(210, 50%, 40%), hsl(210deg 50% 40%), and both with an alpha value; hsla is the same. */
static bool parse_hsl(const char *text, struct color *color)
{
    double hue;
    double saturation;
    double lightness;
    uint8_t alpha = 255;

    if (strncasecmp(text, "hsl", 3) != 0)
        return false;
    const char *at = text + 3 + (text[3] == 'a' || text[3] == 'A');
    if (*at != '(')
        return false;
    at = skip_separator(at, '(');
    if (!parse_decimal(&at, "deg", &hue))
        return false;
    char separator = strchr(at, ',') ? ',' : ' ';
    at = skip_separator(at, separator);
    if (!parse_share(&at, &saturation))
        return false;
    at = skip_separator(at, separator);
    if (!parse_share(&at, &lightness))
        return false;
    at += strspn(at, " ");
    if (*at != ')') {
        at = skip_separator(at, separator == ',' ? ',' : '/');
        if (!parse_alpha(&at, &alpha))
            return false;
        at += strspn(at, " ");
    }
    if (strcmp(at, ")") != 0)
        return false;
    hue = fmod(hue, 360);
    *color = (struct color){ hsl_channel(hue, saturation, lightness, 0),
                             hsl_channel(hue, saturation, lightness, 8),
                             hsl_channel(hue, saturation, lightness, 4), alpha };
    return true;
}

bool color_parse(const char *field, const char *text, struct color *color, struct err *err)
{
    if (parse_hex(text + (text[0] == '#'), color) || parse_name(text, color) ||
        parse_rgb(text, color) || parse_hsl(text, color))
        return true;
    return err_set(err, ERR_INVALID_COLOR,
                   "%s must be a color: #rgb, #rrggbb, #rgba, #rrggbbaa, rgb(r,g,b), hsl(h,s%%,l%%)"
                   " or a CSS name",
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
