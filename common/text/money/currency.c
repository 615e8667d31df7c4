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

int64_t currency_unit(const struct currency *currency)
{
    int64_t unit = 1;
    for (int i = 0; i < currency->decimals; i++)
        unit *= 10;
    return unit;
}
