/* tests/unit/base/ascii.c - every byte, and code points that resemble one. */
#include "base/ascii.h"

#include <ctype.h>

#include "rows.h"

/* C's own classification of ASCII, in the default locale. */
static const struct row {
    const char *name;
    bool (*is)(uint32_t c);
    int (*wanted)(int c);
} rows[] = {
    { "digits", ascii_is_digit, isdigit },
    { "capital letters", ascii_is_upper, isupper },
    { "small letters", ascii_is_lower, islower },
    { "letters", ascii_is_letter, isalpha },
    { "letters and digits", ascii_is_alnum, isalnum },
    { "white space", ascii_is_space, isspace },
};

static void check(void **state)
{
    const struct row *row = *state;
    for (uint32_t c = 0; c < 0x80; c++)
        assert_int_equal(row->is(c), row->wanted((int)c) != 0);
    for (uint32_t c = 0x80; c < 0x10FFFF; c++)
        assert_false(row->is(c));
    for (int c = -128; c < 0; c++) /* chars beyond ASCII */
        assert_false(row->is((uint32_t)(char)c));
}

static void lower(void **state)
{
    (void)state;
    for (int c = 0; c < 0x80; c++)
        assert_int_equal(ascii_lower((char)c), tolower(c));
    for (int c = -128; c < 0; c++)
        assert_int_equal(ascii_lower((char)c), (char)c);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(lower) };
    return RUN_ROWS(rows, check) + cmocka_run_group_tests(tests, NULL, NULL);
}
