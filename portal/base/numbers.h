/*
 * portal/base/numbers.h - numbers, credits and money, formatted for people.
 */
#pragma once

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stdint.h>

enum { NUMBER_BYTES = 64 /* the longest of these texts */ };

/* "1,482,930", and "-5" with a hyphen. */
void number_write(int64_t value, char out[static NUMBER_BYTES]);

/* "15.00 USD" from minor units, with the currency's decimals (text/money/currency.h); two if it is
 * unknown. */
void money_write(int64_t minor, const char *currency, char out[static NUMBER_BYTES]);

struct credit_price {
    int64_t minor; /* minor units of the currency, for this number of credits */
    int64_t credits;
    const char *currency; /* borrowed */
};

/* What this many credits cost at the price: "0.78 ¢" in USD, otherwise with four decimals:
 * "0.0078 EUR". */
void credit_price_write(const struct credit_price *price, int64_t credits,
                        char out[static NUMBER_BYTES]);

/* "1 credit", "5 credits". */
void credits_write(int64_t credits, char out[static NUMBER_BYTES]);

/* `one` for 1, otherwise `many`: "call", "calls". */
const char *noun_of(int64_t count, const char *one, const char *many);

/* number_write() and credits_write() as a member of an object. */
void number_add(cJSON *object, const char *name, int64_t value);
void credits_add(cJSON *object, const char *name, int64_t credits);
