/* portal/numbers.c - digits in groups of three, and the two kinds of currencies we meet. */
#include "portal/numbers.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/table.h"
#include "text/json.h"

static const char no_break_space[] = "\xC2\xA0";

/* ISO 4217: currencies without a minor unit that a card can be charged in. */
static const struct {
    const char *name;
} whole_currencies[] = { { "CLP" }, { "ISK" }, { "JPY" }, { "KRW" }, { "PYG" }, { "VND" } };

void number_write(int64_t value, char out[static NUMBER_BYTES])
{
    char digits[24];
    bool is_below_zero = value < 0;
    uint64_t magnitude = is_below_zero ? 0 - (uint64_t)value : (uint64_t)value;
    size_t count = (size_t)snprintf(digits, sizeof(digits), "%" PRIu64, magnitude);
    size_t size = 0;
    if (is_below_zero)
        out[size++] = '-';
    for (size_t i = 0; i < count; i++) {
        if (i > 0 && (count - i) % 3 == 0) {
            memcpy(out + size, no_break_space, 2);
            size += 2;
        }
        out[size++] = digits[i];
    }
    out[size] = 0;
}

void money_write(int64_t minor, const char *currency, char out[static NUMBER_BYTES])
{
    char whole[NUMBER_BYTES];
    bool has_minor = !TABLE_FIND(whole_currencies, currency);
    int64_t magnitude = minor < 0 ? -minor : minor;
    number_write(has_minor ? magnitude / 100 : magnitude, whole);
    const char *sign = minor < 0 ? "-" : "";
    if (has_minor)
        snprintf(out, NUMBER_BYTES, "%s%.40s.%02d%s%.8s", sign, whole, (int)(magnitude % 100),
                 no_break_space, currency);
    else
        snprintf(out, NUMBER_BYTES, "%s%.40s%s%.8s", sign, whole, no_break_space, currency);
}

void credit_price_write(int64_t minor, int64_t credits, const char *currency,
                        char out[static NUMBER_BYTES])
{
    double each = credits > 0 ? (double)minor / (double)credits : 0;
    if (strcmp(currency, "USD") == 0)
        snprintf(out, NUMBER_BYTES, "%.2f%s¢", each, no_break_space);
    else if (TABLE_FIND(whole_currencies, currency))
        snprintf(out, NUMBER_BYTES, "%.4f%s%.8s", each, no_break_space, currency);
    else
        snprintf(out, NUMBER_BYTES, "%.4f%s%.8s", each / 100, no_break_space, currency);
}

void credits_write(int64_t credits, char out[static NUMBER_BYTES])
{
    char number[NUMBER_BYTES];
    number_write(credits, number);
    snprintf(out, NUMBER_BYTES, "%.40s credit%s", number, credits == 1 ? "" : "s");
}

void number_add(cJSON *object, const char *name, int64_t value)
{
    char text[NUMBER_BYTES];
    number_write(value, text);
    json_str(object, name, text);
}

void credits_add(cJSON *object, const char *name, int64_t credits)
{
    char text[NUMBER_BYTES];
    credits_write(credits, text);
    json_str(object, name, text);
}
