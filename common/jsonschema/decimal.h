/*
 * common/jsonschema/decimal.h - numbers as written, compared and divided exactly: no digits are
 * lost above 2^53, and 0.3 is three times 0.1.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"

enum {
    DECIMAL_DOUBLE_BYTES = 32,
    DECIMAL_DIVIDED_MAX = 1000, /* maximum digits of a dividend, which cost their square */
};

/* The number is 0.DIGITS times ten to the exponent. */
struct decimal {
    bool is_negative;   /* never of zero */
    struct text digits; /* borrowed; from the first to the last non-zero digit, with the point
                           anywhere; empty: zero */
    size_t count;       /* of digits, without the point */
    int64_t exponent;   /* limited to +-10^15 */
};

/* Read a number by JSON's grammar; false for any other text. */
bool decimal_read(struct text lexeme, struct decimal *decimal) must_check;

/* The shortest digits that read back as the same double, written to `digits`; infinities become
 * numbers above all doubles. */
void decimal_of_double(double number, char digits[DECIMAL_DOUBLE_BYTES], struct decimal *decimal);

/* Below 0, 0 or above 0: a compared to b. */
int decimal_compare(const struct decimal *a, const struct decimal *b);

bool decimal_is_integer(const struct decimal *decimal);

enum decimal_division { DECIMAL_MULTIPLE, DECIMAL_NOT_MULTIPLE, DECIMAL_TOO_LONG };

/* Is it an integer multiple of `unit`, which is not zero? */
enum decimal_division decimal_divide(const struct decimal *decimal, const struct decimal *unit);
