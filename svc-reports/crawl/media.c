/* svc-reports/crawl/media.c - media queries, as far as static analysis needs them. */
#include "crawl/media.h"

#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"
#include "base/num.h"

/* ---- lengths ---- */

bool media_length(struct text text, double *pixels)
{
    static const struct {
        const char *unit;
        double pixels;
    } units[] = {
        { "px", 1 },
        { "rem", EM_PIXELS },
        { "em", EM_PIXELS },
        { "vw", SCREEN_WIDTH / 100.0 },
        { "vh", SCREEN_HEIGHT / 100.0 },
        { "pt", 96.0 / 72 },
        { "cm", 96 / 2.54 },
        { "mm", 96 / 25.4 },
        { "in", 96 },
    };
    enum { NUMBER_BYTES = 20 };
    char number[NUMBER_BYTES];
    size_t size = 0;
    text = text_trim(text);
    while (size < text.size && (ascii_is_digit(text.bytes[size]) || text.bytes[size] == '.'))
        size++;
    if (size == 0 || size >= sizeof(number))
        return false;
    memcpy(number, text.bytes, size);
    number[size] = '\0';
    double value = strtod(number, NULL);
    struct text unit = text_trim(text_skip(text, size));
    for (size_t i = 0; i < countof(units); i++)
        if (text_is_any_case(unit, units[i].unit)) {
            *pixels = value * units[i].pixels;
            return true;
        }
    *pixels = 0;
    return unit.size == 0 && value <= 0;
}

/* ---- features ---- */

/* A feature without its brackets, such as "min-width: 600px". */
static bool feature_fits(struct text feature)
{
    struct text value = feature;
    struct text name = text_trim(text_cut(&value, ':'));
    double pixels;
    value = text_trim(value);
    if (text_is_any_case(name, "orientation"))
        return text_is_any_case(value, "landscape");
    if (text_is_any_case(name, "prefers-color-scheme"))
        return text_is_any_case(value, "light");
    if (text_is_any_case(name, "prefers-reduced-motion"))
        return text_is_any_case(value, "no-preference");
    if (text_is_any_case(name, "min-resolution") ||
        text_is_any_case(name, "-webkit-min-device-pixel-ratio"))
        return text_begins(value, "1d") || text_is(value, "1") || text_begins(value, "96dpi");
    if (!media_length(value, &pixels))
        return true;
    if (text_is_any_case(name, "min-width"))
        return pixels <= SCREEN_WIDTH;
    if (text_is_any_case(name, "max-width"))
        return pixels >= SCREEN_WIDTH;
    if (text_is_any_case(name, "min-height"))
        return pixels <= SCREEN_HEIGHT;
    if (text_is_any_case(name, "max-height"))
        return pixels >= SCREEN_HEIGHT;
    return true;
}

/* ---- queries ---- */

static struct text cut_word(struct text *rest)
{
    size_t size = 0;
    *rest = text_trim(*rest);
    while (size < rest->size && !ascii_is_space(rest->bytes[size]) && rest->bytes[size] != '(')
        size++;
    struct text word = { rest->bytes, size };
    *rest = text_skip(*rest, size);
    return word;
}

static struct text cut_brackets(struct text *rest)
{
    size_t depth = 0;
    for (size_t i = 0; i < rest->size; i++) {
        depth += rest->bytes[i] == '(';
        depth -= rest->bytes[i] == ')' && depth > 0;
        if (depth == 0) {
            struct text inside = { rest->bytes + 1, i - 1 };
            *rest = text_skip(*rest, i + 1);
            return inside;
        }
    }
    struct text inside = text_skip(*rest, 1);
    *rest = text_skip(*rest, rest->size);
    return inside;
}

/* One query of the list: "not print", "screen and (min-width: 600px)". */
static bool query_fits(struct text query, bool looks_at_features)
{
    bool is_not = false;
    bool fits = true;
    query = text_trim(query);
    while (query.size > 0) {
        if (query.bytes[0] == '(') {
            struct text feature = cut_brackets(&query);
            fits = fits && (!looks_at_features || feature_fits(feature));
            query = text_trim(query);
            continue;
        }
        struct text word = cut_word(&query);
        if (text_is_any_case(word, "not"))
            is_not = true;
        else if (!text_is_any_case(word, "and") && !text_is_any_case(word, "only") &&
                 !text_is_any_case(word, "or"))
            fits = fits && (text_is_any_case(word, "all") || text_is_any_case(word, "screen"));
        query = text_trim(query);
    }
    return fits != is_not;
}

static bool any_fits(struct text queries, bool looks_at_features)
{
    queries = text_trim(queries);
    bool fits = queries.size == 0;
    while (queries.size > 0 && !fits)
        fits = query_fits(text_cut(&queries, ','), looks_at_features);
    return fits;
}

bool media_fits(struct text queries)
{
    return any_fits(queries, true);
}

bool media_is_print(struct text queries)
{
    return !any_fits(queries, false);
}
