/*
 * common/text/money/currency.h - currencies for sales, and how their amounts are counted.
 * currency.def has the sources.
 */
#pragma once

#include <stdint.h>

struct currency {
    const char *name; /* ISO code: three capitals */
    int decimals;     /* of its minor unit, in which all amounts are counted */
    int64_t step;     /* amounts are a multiple of it */
    int64_t least;    /* minimum of one payment */
};

/* NULL if the currency is unknown. */
const struct currency *currency_find(const char *code);

/* The same, but an unknown currency has two decimals, as most have. */
const struct currency *currency_or_usual(const char *code);

/* Minor units per unit of the currency: 10 to the power of its decimals. */
int64_t currency_unit(const struct currency *currency);

/* An amount with the decimals of its currency, without separators: "-1500.00". */
enum { AMOUNT_TEXT_BYTES = 32 };
void amount_write(int64_t minor, const char *code, char out[static AMOUNT_TEXT_BYTES]);
