/* tests/unit/base/num.c - decimal numbers from text, up to a limit. */
#include "base/num.h"

#include "rows.h"

static const struct row {
    const char *name;
    struct text digits;
    int64_t max;
    int64_t want; /* -1: rejected */
} rows[] = {
    { "zero", TEXT("0"), 10, 0 },
    { "leading zeros", TEXT("0007"), 10, 7 },
    { "the limit", TEXT("65535"), 65535, 65535 },
    { "past the limit", TEXT("65536"), 65535, -1 },
    { "a digit past a small limit", TEXT("7"), 5, -1 },
    { "many digits past a small limit", TEXT("70"), 5, -1 },
    { "limit of 0", TEXT("0"), 0, 0 },
    { "the greatest", TEXT("9223372036854775807"), INT64_MAX, INT64_MAX },
    { "past the greatest", TEXT("9223372036854775808"), INT64_MAX, -1 },
    { "far past the greatest", TEXT("99999999999999999999999"), INT64_MAX, -1 },
    { "nothing", TEXT(""), 10, -1 },
    { "sign", TEXT("+1"), 10, -1 },
    { "minus", TEXT("-1"), 10, -1 },
    { "blank before", TEXT(" 1"), 10, -1 },
    { "blank behind", TEXT("1 "), 10, -1 },
    { "fraction", TEXT("1.0"), 10, -1 },
    { "hexadecimal", TEXT("0x1"), 10, -1 },
    { "NUL", TEXT("1\0"), 10, -1 },
};

static void check(void **state)
{
    const struct row *row = *state;
    int64_t value = -1;
    assert_int_equal(num_parse(row->digits, row->max, &value), row->want >= 0);
    assert_int_equal(value, row->want);
}

int main(void)
{
    return RUN_ROWS(rows, check);
}
