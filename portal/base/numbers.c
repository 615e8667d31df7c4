/* portal/base/numbers.c - numbers with thousands separators, and money with the decimals of its
 * currency. */
#include "portal/base/numbers.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "text/json.h"
#include "text/money/currency.h"

static const char no_break_space[] = "\xC2\xA0";

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
        if (i > 0 && (count - i) % 3 == 0)
            out[size++] = ',';
        out[size++] = digits[i];
    }
    out[size] = 0;
}

void money_write(int64_t minor, const char *currency, char out[static NUMBER_BYTES])
{
    char whole[NUMBER_BYTES];
    char parts[8] = "";
    int decimals = currency_or_usual(currency)->decimals;
    int64_t unit = currency_unit(currency_or_usual(currency));
    int64_t magnitude = minor < 0 ? -minor : minor;
    number_write(magnitude / unit, whole);
    if (decimals > 0)
        snprintf(parts, sizeof(parts), ".%0*d", decimals, (int)(magnitude % unit));
    snprintf(out, NUMBER_BYTES, "%s%.40s%s%s%.8s", minor < 0 ? "-" : "", whole, parts,
             no_break_space, currency);
}

void credit_price_write(const struct credit_price *price, int64_t credits,
                        char out[static NUMBER_BYTES])
{
    double each = price->credits > 0 ? (double)price->minor / (double)price->credits : 0;
    double minor = each * (double)credits;
    int64_t unit = currency_unit(currency_or_usual(price->currency));
    if (strcmp(price->currency, "USD") == 0)
        snprintf(out, NUMBER_BYTES, "%.2f%s¢", minor, no_break_space);
    else
        snprintf(out, NUMBER_BYTES, "%.4f%s%.8s", minor / (double)unit, no_break_space,
                 price->currency);
}

const char *noun_of(int64_t count, const char *one, const char *many)
{
    return count == 1 ? one : many;
}

void credits_write(int64_t credits, char out[static NUMBER_BYTES])
{
    char number[NUMBER_BYTES];
    number_write(credits, number);
    snprintf(out, NUMBER_BYTES, "%.40s %s", number, noun_of(credits, "credit", "credits"));
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
