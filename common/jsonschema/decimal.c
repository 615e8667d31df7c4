/* common/jsonschema/decimal.c - exact decimal numbers; division with OpenSSL's big numbers. */
#include "jsonschema/decimal.h"

#include <math.h>
#include <openssl/bn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"
#include "base/num.h"

static const int64_t exponent_max = 1000000000000000;

static size_t count_digits(struct text text)
{
    size_t count = 0;
    while (count < text.size && ascii_is_digit((unsigned char)text.bytes[count]))
        count++;
    return count;
}

/* The exponent after the e; false if it is malformed. */
static bool read_exponent(struct text rest, int64_t *exponent)
{
    bool is_negative = text_begins(rest, "-");
    if (is_negative || text_begins(rest, "+"))
        rest = text_skip(rest, 1);
    if (!text_is_digits(rest))
        return false;
    if (!num_parse(rest, exponent_max, exponent))
        *exponent = exponent_max;
    if (is_negative)
        *exponent = -*exponent;
    return true;
}

/* Remove zeros at both ends of what is before the e, and count. */
static void trim_digits(struct text mantissa, size_t whole, struct decimal *decimal)
{
    size_t first = 0;
    size_t end = mantissa.size;
    while (first < end && (mantissa.bytes[first] == '0' || mantissa.bytes[first] == '.'))
        first++;
    while (end > first && (mantissa.bytes[end - 1] == '0' || mantissa.bytes[end - 1] == '.'))
        end--;
    decimal->digits = (struct text){ mantissa.bytes + first, end - first };
    decimal->count = end - first - (first < whole && end > whole);
    if (first < whole)
        decimal->exponent += (int64_t)(whole - first);
    else
        decimal->exponent -= (int64_t)(first - whole) - 1;
}

bool decimal_read(struct text lexeme, struct decimal *decimal)
{
    struct decimal read = { .is_negative = text_begins(lexeme, "-") };
    struct text rest = text_skip(lexeme, read.is_negative);
    size_t whole = count_digits(rest);
    size_t size = whole;
    if (whole == 0 || (whole > 1 && rest.bytes[0] == '0'))
        return false;
    if (size < rest.size && rest.bytes[size] == '.') {
        size_t fraction = count_digits(text_skip(rest, size + 1));
        if (fraction == 0)
            return false;
        size += 1 + fraction;
    }
    if (size < rest.size && ((rest.bytes[size] | 0x20) != 'e' ||
                             !read_exponent(text_skip(rest, size + 1), &read.exponent)))
        return false;
    trim_digits((struct text){ rest.bytes, size }, whole, &read);
    if (read.count == 0)
        read = (struct decimal){ .digits = TEXT("") };
    *decimal = read;
    return true;
}

/* The same digits as below, for numbers of which most are counts and bounds. */
static void write_integer(int64_t number, char digits[DECIMAL_DOUBLE_BYTES])
{
    char reversed[DECIMAL_DOUBLE_BYTES];
    uint64_t rest = number < 0 ? -(uint64_t)number : (uint64_t)number;
    size_t size = 0;
    do
        reversed[size++] = (char)('0' + rest % 10);
    while (rest /= 10);
    if (number < 0)
        reversed[size++] = '-';
    for (size_t i = 0; i < size; i++)
        digits[i] = reversed[size - 1 - i];
    digits[size] = '\0';
}

void decimal_of_double(double number, char digits[DECIMAL_DOUBLE_BYTES], struct decimal *decimal)
{
    if (fabs(number) < 1e15 && number == trunc(number)) {
        write_integer((int64_t)number, digits);
        (void)!decimal_read(text_of(digits), decimal);
        return;
    }
    for (int precision = 15; precision <= 17; precision++) {
        snprintf(digits, DECIMAL_DOUBLE_BYTES, "%.*g", precision, number);
        if (strtod(digits, NULL) == number)
            break;
    }
    if (decimal_read(text_of(digits), decimal))
        return;
    snprintf(digits, DECIMAL_DOUBLE_BYTES, "%s1e999999", number < 0 ? "-" : "");
    (void)!decimal_read(text_of(digits), decimal);
}

/* Compares the digits as strings, without the decimal point. */
static int compare_digits(struct text a, struct text b)
{
    size_t i = 0;
    size_t k = 0;
    for (;; i++, k++) {
        i += i < a.size && a.bytes[i] == '.';
        k += k < b.size && b.bytes[k] == '.';
        if (i == a.size || k == b.size)
            return (i < a.size) - (k < b.size);
        if (a.bytes[i] != b.bytes[k])
            return a.bytes[i] < b.bytes[k] ? -1 : 1;
    }
}

/* Ignores the signs; neither is zero. */
static int compare_sizes(const struct decimal *a, const struct decimal *b)
{
    if (a->exponent != b->exponent)
        return a->exponent < b->exponent ? -1 : 1;
    return compare_digits(a->digits, b->digits);
}

static int sign_of(const struct decimal *decimal)
{
    return decimal->is_negative ? -1 : decimal->count > 0;
}

int decimal_compare(const struct decimal *a, const struct decimal *b)
{
    int sign = sign_of(a);
    if (sign != sign_of(b))
        return sign - sign_of(b);
    return sign == 0 ? 0 : sign * compare_sizes(a, b);
}

bool decimal_is_integer(const struct decimal *decimal)
{
    return decimal->exponent >= (int64_t)decimal->count;
}

static BIGNUM *big_of(const struct decimal *decimal)
{
    char digits[DECIMAL_DIVIDED_MAX + 1];
    BIGNUM *big = NULL;
    size_t size = 0;
    for (size_t i = 0; i < decimal->digits.size; i++)
        if (decimal->digits.bytes[i] != '.')
            digits[size++] = decimal->digits.bytes[i];
    digits[size] = '\0';
    if (!BN_dec2bn(&big, digits))
        abort();
    return big;
}

enum { SMALL_DIGITS = 18 }; /* which 64 bits hold */

static uint64_t small_of(const struct decimal *decimal)
{
    uint64_t number = 0;
    for (size_t i = 0; i < decimal->digits.size; i++)
        if (decimal->digits.bytes[i] != '.')
            number = number * 10 + (uint64_t)(decimal->digits.bytes[i] - '0');
    return number;
}

static bool is_small_multiple(const struct decimal *decimal, int64_t power,
                              const struct decimal *unit)
{
    uint64_t number = small_of(decimal);
    for (int64_t i = 0; i < power; i++)
        number *= 10;
    return number % small_of(unit) == 0;
}

/* Are digits times ten to the power a multiple of unit? */
static bool is_multiple(BIGNUM *digits, uint64_t power, const BIGNUM *unit)
{
    BN_CTX *context = BN_CTX_new();
    BIGNUM *ten = BN_new();
    BIGNUM *exponent = BN_new();
    if (!context || !ten || !exponent || !BN_set_word(ten, 10) || !BN_set_word(exponent, power) ||
        !BN_mod_exp(ten, ten, exponent, unit, context) ||
        !BN_mod_mul(digits, digits, ten, unit, context))
        abort();
    bool is_zero = BN_is_zero(digits);
    BN_free(exponent);
    BN_free(ten);
    BN_CTX_free(context);
    return is_zero;
}

enum decimal_division decimal_divide(const struct decimal *decimal, const struct decimal *unit)
{
    int64_t power =
        (decimal->exponent - (int64_t)decimal->count) - (unit->exponent - (int64_t)unit->count);
    if (decimal->count == 0)
        return DECIMAL_MULTIPLE;
    if (power < 0) /* the last digit is not 0, so ten does not divide it */
        return DECIMAL_NOT_MULTIPLE;
    if (decimal->count > DECIMAL_DIVIDED_MAX || unit->count > DECIMAL_DIVIDED_MAX)
        return DECIMAL_TOO_LONG;
    if (power <= SMALL_DIGITS - (int64_t)MIN(decimal->count, (size_t)SMALL_DIGITS) &&
        decimal->count <= SMALL_DIGITS && unit->count <= SMALL_DIGITS)
        return is_small_multiple(decimal, power, unit) ? DECIMAL_MULTIPLE : DECIMAL_NOT_MULTIPLE;
    BIGNUM *digits = big_of(decimal);
    BIGNUM *divisor = big_of(unit);
    bool ok = is_multiple(digits, (uint64_t)power, divisor);
    BN_free(divisor);
    BN_free(digits);
    return ok ? DECIMAL_MULTIPLE : DECIMAL_NOT_MULTIPLE;
}
