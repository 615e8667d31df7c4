/* tests/unit/jsonschema/decimal.c - numbers compared and divided as they are written. */
#include "jsonschema/decimal.h"

#include <math.h>
#include <string.h>

#include "rows.h"

static const struct pair {
    const char *name;
    const char *a;
    const char *b;
    int order;
    enum decimal_division division;
} pairs[] = {
    { "the same", "1", "1.0", 0, DECIMAL_MULTIPLE },
    { "the same with an exponent", "100", "1e2", 0, DECIMAL_MULTIPLE },
    { "and a negative one", "0.05", "5E-2", 0, DECIMAL_MULTIPLE },
    { "zeros", "-0", "0.00e5", 0, DECIMAL_MULTIPLE },
    { "zero and a little", "0", "1e-9", -1, DECIMAL_MULTIPLE },
    { "signs", "-1", "1", -1, DECIMAL_MULTIPLE },
    { "both below zero", "-2", "-1", -1, DECIMAL_MULTIPLE },
    { "more digits", "1.25", "1.2", 1, DECIMAL_NOT_MULTIPLE },
    { "the last of 17 digits", "9007199254740993", "9007199254740992", 1, DECIMAL_NOT_MULTIPLE },
    { "a point among the digits", "12.34", "1234", -1, DECIMAL_NOT_MULTIPLE },
    { "many times", "12.34", "0.02", 1, DECIMAL_MULTIPLE },
    { "far apart", "1e400", "7", 1, DECIMAL_NOT_MULTIPLE },
    { "further than anything", "1e999999999999999999999", "7e-5", 1, DECIMAL_NOT_MULTIPLE },
    { "further, and a multiple", "7e99999999999", "7", 1, DECIMAL_MULTIPLE },
    { "of one", "3e10", "1", 1, DECIMAL_MULTIPLE },
    { "18 digits", "999999999999999999", "9", 1, DECIMAL_MULTIPLE },
    { "18 digits, and no multiple", "-999999999999999999", "17", -1, DECIMAL_NOT_MULTIPLE },
    { "19 digits", "9999999999999999999", "9", 1, DECIMAL_MULTIPLE },
    { "18 digits with the zeros", "9e17", "7", 1, DECIMAL_NOT_MULTIPLE },
    { "19 digits with the zeros", "7e18", "7", 1, DECIMAL_MULTIPLE },
    { "19 digits of a unit", "1", "0.0000000000000000003", 1, DECIMAL_NOT_MULTIPLE },
};

static struct decimal read(const char *digits)
{
    struct decimal decimal;
    assert_true(decimal_read(text_of(digits), &decimal));
    return decimal;
}

static int sign(int order)
{
    return (order > 0) - (order < 0);
}

static void check(void **state)
{
    const struct pair *pair = *state;
    struct decimal a = read(pair->a);
    struct decimal b = read(pair->b);
    assert_int_equal(sign(decimal_compare(&a, &b)), pair->order);
    assert_int_equal(sign(decimal_compare(&b, &a)), -pair->order);
    if (b.count > 0)
        assert_int_equal(decimal_divide(&a, &b), pair->division);
}

static void grammar(void **state)
{
    static const char *const bad[] = { "", "-", "01", "1.", ".5", "1e", "1e+", "+1", "1 ", "0x1" };
    struct decimal decimal;
    (void)state;
    for (size_t i = 0; i < countof(bad); i++)
        assert_false(decimal_read(text_of(bad[i]), &decimal));
}

static void integers(void **state)
{
    static const char *const whole[] = { "0", "-0.0", "1.0", "1e400", "1.5e1", "100e-2" };
    static const char *const broken[] = { "0.5", "1e-1", "9007199254740993.5", "15e-2" };
    (void)state;
    for (size_t i = 0; i < countof(whole); i++) {
        struct decimal decimal = read(whole[i]);
        assert_true(decimal_is_integer(&decimal));
    }
    for (size_t i = 0; i < countof(broken); i++) {
        struct decimal decimal = read(broken[i]);
        assert_false(decimal_is_integer(&decimal));
    }
}

static void doubles(void **state)
{
    char digits[2][DECIMAL_DOUBLE_BYTES];
    struct decimal a;
    struct decimal b = read("0.1");
    (void)state;
    decimal_of_double(0.1, digits[0], &a);
    assert_int_equal(decimal_compare(&a, &b), 0);
    decimal_of_double(-HUGE_VAL, digits[0], &a);
    decimal_of_double(-1e308, digits[1], &b);
    assert_true(decimal_compare(&a, &b) < 0);
}

/* Integers are written without printf(), so around the end of that. */
static void integers_of_doubles(void **state)
{
    static const struct {
        double number;
        const char *digits;
    } rows[] = {
        { 0, "0" },
        { -0.0, "0" },
        { 7, "7" },
        { -1200, "-1200" },
        { 999999999999999, "999999999999999" },
        { -999999999999999, "-999999999999999" },
        { 1e15, "1000000000000000" },
        { 0x1p53, "9007199254740992" },
    };
    (void)state;
    for (size_t i = 0; i < countof(rows); i++) {
        char digits[DECIMAL_DOUBLE_BYTES];
        struct decimal wanted = read(rows[i].digits);
        struct decimal got;
        decimal_of_double(rows[i].number, digits, &got);
        assert_int_equal(decimal_compare(&got, &wanted), 0);
        assert_true(decimal_is_integer(&got));
    }
}

static void too_long(void **state)
{
    char digits[DECIMAL_DIVIDED_MAX + 3];
    (void)state;
    memset(digits, '1', sizeof(digits));
    digits[sizeof(digits) - 1] = '\0';
    struct decimal decimal = read(digits);
    struct decimal unit = read("7");
    assert_int_equal(decimal_divide(&decimal, &unit), DECIMAL_TOO_LONG);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(grammar),  cmocka_unit_test(integers),
        cmocka_unit_test(doubles),  cmocka_unit_test(integers_of_doubles),
        cmocka_unit_test(too_long),
    };
    return RUN_ROWS(pairs, check) + cmocka_run_group_tests(tests, NULL, NULL);
}
