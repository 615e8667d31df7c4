/*
 * portal/base/numbers.h - numbers, credits and money as people read them.
 */
#pragma once

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stdint.h>

enum { NUMBER_BYTES = 64 /* of any of these texts */ };

/* "1,482,930", and "-5" with a hyphen. */
void number_write(int64_t value, char out[static NUMBER_BYTES]);

/* "15.00 USD" from minor units: as many digits behind the point as the currency has
 * (text/money/currency.h), two where it is not known. */
void money_write(int64_t minor, const char *currency, char out[static NUMBER_BYTES]);

/* What one of `credits` costs when all cost so many minor units: "0.78 ¢" of a dollar, elsewhere
 * with four digits: "0.0078 EUR". */
void credit_price_write(int64_t minor, int64_t credits, const char *currency,
                        char out[static NUMBER_BYTES]);

/* "1 credit", "5 credits". */
void credits_write(int64_t credits, char out[static NUMBER_BYTES]);

/* "call", or "calls" of more or none. */
const char *noun_of(int64_t count, const char *one, const char *many);

/* number_write() and credits_write() as a member of a model. */
void number_add(cJSON *object, const char *name, int64_t value);
void credits_add(cJSON *object, const char *name, int64_t credits);
