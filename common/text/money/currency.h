/*
 * common/text/money/currency.h - the currencies that something can be sold in, and how their
 * amounts are counted. currency.def has the sources.
 */
#pragma once

#include <stdint.h>

struct currency {
    const char *name; /* its code: three capitals */
    int decimals;     /* of its minor unit, which all amounts are in */
    int64_t step;     /* an amount is a multiple of it */
    int64_t least;    /* that one payment may be of */
};

/* NULL: there is no such currency. */
const struct currency *currency_find(const char *code);

/* The same; one that is in no list is counted as most are, with two decimals. */
const struct currency *currency_or_usual(const char *code);

/* How many minor units are one of the currency: 10 to the power of its decimals. */
int64_t currency_unit(const struct currency *currency);
