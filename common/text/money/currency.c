/* common/text/money/currency.c - see currency.h. */
#include "text/money/currency.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/table.h"

#define CURRENCY(code, decimals, step, least) { code, decimals, step, least },
static const struct currency currencies[] = {
#include "text/money/currency.def"
};

const struct currency *currency_find(const char *code)
{
    return TABLE_FIND(currencies, code);
}

const struct currency *currency_or_usual(const char *code)
{
    static const struct currency usual = { "", 2, 1, 1 };
    const struct currency *currency = currency_find(code);
    return currency ? currency : &usual;
}

int64_t currency_unit(const struct currency *currency)
{
    int64_t unit = 1;
    for (int i = 0; i < currency->decimals; i++)
        unit *= 10;
    return unit;
}

void amount_write(int64_t minor, const char *code, char out[static AMOUNT_TEXT_BYTES])
{
    const struct currency *currency = currency_or_usual(code);
    int64_t unit = currency_unit(currency);
    int64_t magnitude = minor < 0 ? -minor : minor;
    int size =
        snprintf(out, AMOUNT_TEXT_BYTES, "%s%" PRId64, minor < 0 ? "-" : "", magnitude / unit);
    if (currency->decimals > 0)
        snprintf(out + size, (size_t)(AMOUNT_TEXT_BYTES - size), ".%0*d", currency->decimals,
                 (int)(magnitude % unit));
}
