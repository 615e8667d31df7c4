/* svc-chat/chatplatform-embed-build/color.c - reads colors in all common notations. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/codec/hex.h"
#include "base/num.h"
#include "base/table.h"
#include "build.h"
#include "text/json.h"

static const struct named {
    const char *name;
    uint32_t color;
} named[] = {
#define COLOR(name, color) { name, color },
#include "color.def"
#undef COLOR
};

enum { TEXT_BYTES = 64 /* of a color's text; longer ones are invalid */ };

static uint32_t join_channels(const double channel[3])
{
    return (uint32_t)channel[0] << 16 | (uint32_t)channel[1] << 8 | (uint32_t)channel[2];
}

/* Exactly three or six hex digits. */
static bool read_hex(const char *digits, uint32_t *color)
{
    size_t length = strlen(digits);
    uint32_t value = 0;
    if (length != 3 && length != 6)
        return false;
    for (size_t i = 0; i < length; i++) {
        int digit = hex_digit(digits[i]);
        if (digit < 0)
            return false;
        value = length == 3 ? value << 8 | (uint32_t)digit * 0x11 : value << 4 | (uint32_t)digit;
    }
    *color = value;
    return true;
}

/* A number, with or without a fraction; sets *has_point. */
static bool read_number(const char **at, double *value, bool *has_point)
{
    size_t digits = strspn(*at, "0123456789.");
    const char *point = memchr(*at, '.', digits);
    char *end;

    if (digits == 0 || digits > 16 ||
        (point && memchr(point + 1, '.', digits - (size_t)(point - *at) - 1)))
        return false;
    *value = strtod(*at, &end);
    *has_point = point != NULL;
    if (end != *at + digits)
        return false;
    *at = end;
    return true;
}

/* Integers as they are, or fractions of one scaled to 255. */
static bool scale_channels(double channel[3], bool fractions)
{
    for (size_t i = 0; i < 3; i++) {
        if (channel[i] > (fractions ? 1 : 255))
            return false;
        if (fractions)
            channel[i] = trunc(255 * channel[i] + 0.000001);
    }
    return true;
}

/* rgb(1, 2, 3) and rgb(1%, 2%, 3%). */
static bool read_rgb(const char *text, uint32_t *color)
{
    double channel[3];
    size_t percents = 0;
    if (strncasecmp(text, "rgb(", 4) != 0)
        return false;
    text += 4;
    for (size_t i = 0; i < 3; i++) {
        bool has_point;
        text += strspn(text, " ");
        if (!read_number(&text, &channel[i], &has_point))
            return false;
        bool percent = *text == '%';
        percents += percent;
        text += percent;
        text += strspn(text, " ");
        if (channel[i] > (percent ? 100 : 255) || (!percent && has_point) ||
            *text++ != (i < 2 ? ',' : ')'))
            return false;
        if (percent)
            channel[i] = round(255 * channel[i] / 100);
    }
    *color = join_channels(channel);
    return *text == '\0' && percents % 3 == 0;
}

/* Three numbers separated by commas or blanks, with or without one pair of brackets. */
static bool read_triple(const char *text, uint32_t *color)
{
    static const char opening[] = "([{<";
    static const char closing[] = ")]}>";
    const char *bracket = *text ? strchr(opening, *text) : NULL;
    double channel[3];
    size_t points = 0;

    text += bracket != NULL;
    for (size_t i = 0; i < 3; i++) {
        bool has_point;
        text += strspn(text, " ");
        if (!read_number(&text, &channel[i], &has_point))
            return false;
        points += has_point;
        size_t gap = strspn(text, i < 2 ? ", " : " ");
        if (i < 2 && gap == 0)
            return false;
        text += gap;
    }
    if (bracket && *text++ != closing[bracket - opening])
        return false;
    if (*text != '\0' || points % 3 != 0 || !scale_channels(channel, points == 3))
        return false;
    *color = join_channels(channel);
    return true;
}

/* Only digits: three or six are read as hex, others as a decimal number. */
static enum color_reading read_digits(const char *text, uint32_t *color)
{
    int64_t value;
    if (read_hex(text, color))
        return COLOR_AMBIGUOUS;
    if (!num_parse(text_of(text), LIMIT_COLOR, &value))
        return COLOR_NONE;
    *color = (uint32_t)value;
    return COLOR_PLAIN;
}

/* A random number that is equal for equal requests (splitmix64). */
static uint32_t random_color(uint64_t seed)
{
    seed += UINT64_C(0x9E3779B97F4A7C15);
    seed = (seed ^ seed >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    seed = (seed ^ seed >> 27) * UINT64_C(0x94D049BB133111EB);
    return (uint32_t)(seed ^ seed >> 31) & LIMIT_COLOR;
}

static enum color_reading read_text(struct text given, uint64_t seed, uint32_t *color)
{
    char text[TEXT_BYTES + 1] = { 0 };
    struct text trimmed = trim_text(given);
    if (trimmed.size == 0 || trimmed.size > TEXT_BYTES)
        return COLOR_NONE;
    memcpy(text, trimmed.bytes, trimmed.size);
    if (strcasecmp(text, "random") == 0) {
        *color = random_color(seed);
        return COLOR_PLAIN;
    }
    if (strspn(text, "0123456789") == trimmed.size)
        return read_digits(text, color);
    const char *hex = strncasecmp(text, "0x", 2) == 0 ? text + 2 : text;
    hex += *hex == '#';
    const struct named *row = TABLE_FIND_LOOSE(named, text);
    if (row)
        *color = row->color;
    return row || read_hex(hex, color) || read_rgb(text, color) || read_triple(text, color)
               ? COLOR_PLAIN
               : COLOR_NONE;
}

/* [255, 0, 0]; or [1, 0.5, 0] if any number is not an integer: JSON does not distinguish 1 from
 * 1.0. */
static bool read_list(const cJSON *list, uint32_t *color)
{
    double channel[3];
    bool fractions = false;
    const cJSON *item;
    size_t count = 0;

    cJSON_ArrayForEach(item, list) {
        if (count == 3 || !json_is(item, cJSON_Number) || item->valuedouble < 0)
            return false;
        channel[count++] = item->valuedouble;
        fractions |= floor(item->valuedouble) != item->valuedouble;
    }
    if (count < 3 || !scale_channels(channel, fractions))
        return false;
    *color = join_channels(channel);
    return true;
}

enum color_reading color_read(const cJSON *node, uint64_t seed, uint32_t *color)
{
    if (json_is(node, cJSON_String))
        return read_text(json_text_of(node), seed, color);
    if (json_is(node, cJSON_Array))
        return read_list(node, color) ? COLOR_PLAIN : COLOR_NONE;
    if (!json_is_integer(node) || node->valuedouble < 0 || node->valuedouble > LIMIT_COLOR)
        return COLOR_NONE;
    *color = (uint32_t)node->valuedouble;
    return COLOR_PLAIN;
}
