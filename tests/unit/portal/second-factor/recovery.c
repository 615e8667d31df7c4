/* tests/unit/portal/second-factor/recovery.c - codes on paper, and how people type them. */
#include "portal/second-factor/recovery.h"

#include <sodium.h>
#include <string.h>

#include "rows.h"

static const struct row {
    const char *name;
    const char *typed;
    const char *want; /* NULL: none */
} rows[] = {
    { "as it was shown", "7k2mx-0qw9r", "7k2mx-0qw9r" },
    { "capitals", "7K2MX-0QW9R", "7k2mx-0qw9r" },
    { "no hyphen", "7k2mx0qw9r", "7k2mx-0qw9r" },
    { "blanks", " 7k 2m x0q w9r ", "7k2mx-0qw9r" },
    { "letters for digits", "Oooil-iLLoI", "00011-11101" },
    { "a code of an app", "123456", NULL },
    { "one short", "7k2mx-0qw9", NULL },
    { "one long", "7k2mx-0qw9rr", NULL },
    { "an invalid letter", "7k2mx-0qw9u", NULL },
    { "another mark", "7k2mx_0qw9r", NULL },
    { "beyond ASCII", "7k2mx-0qw9\xc3\xa9", NULL },
    { "nothing", "", NULL },
};

static void check(void **state)
{
    const struct row *row = *state;
    char text[RECOVERY_TEXT_BYTES] = "unchanged";
    assert_int_equal(recovery_read(row->typed, text), row->want != NULL);
    assert_string_equal(text, row->want ? row->want : "unchanged");
}

static void a_new_one_is_read_as_it_is(void **state)
{
    (void)state;
    char one[RECOVERY_TEXT_BYTES], two[RECOVERY_TEXT_BYTES], read[RECOVERY_TEXT_BYTES];
    recovery_new(one);
    recovery_new(two);
    assert_string_not_equal(one, two);
    assert_int_equal(strlen(one), RECOVERY_TEXT_BYTES - 1);
    assert_true(recovery_read(one, read));
    assert_string_equal(read, one);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(a_new_one_is_read_as_it_is) };
    if (sodium_init() < 0)
        return 1;
    return RUN_ROWS(rows, check) + cmocka_run_group_tests(tests, NULL, NULL);
}
