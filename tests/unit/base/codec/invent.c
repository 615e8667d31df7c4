/* tests/unit/base/codec/invent.c - random names are hexadecimal digits, and new each time. */
#include "base/codec/invent.h"

#include <string.h>

#include "rows.h"

static void check_digits(void **state)
{
    char first[INVENTED_BYTES];
    char second[INVENTED_BYTES];
    (void)state;
    invent_digits(first);
    invent_digits(second);
    assert_int_equal(strspn(first, "0123456789abcdef"), INVENTED_BYTES - 1);
    assert_int_equal(strlen(first), INVENTED_BYTES - 1);
    assert_string_not_equal(first, second);
}

int main(void)
{
    static const struct CMUnitTest tests[] = { cmocka_unit_test(check_digits) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
