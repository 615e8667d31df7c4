/* common/text/money/currency.c - see currency.h. */
#include "text/money/currency.h"

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
