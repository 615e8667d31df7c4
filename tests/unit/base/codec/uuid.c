/* tests/unit/base/codec/uuid.c - UUIDs: the text form, and the guarantees of a new one. */
#include "base/codec/uuid.h"

#include <string.h>

#include "base/os/clock.h"
#include "rows.h"

static const struct row {
    const char *name;
    struct text text;
    const char *want; /* written again; NULL: rejected */
} rows[] = {
    { "lower case", TEXT("0192f0c1-7b3e-7abc-8def-0123456789ab"),
      "0192f0c1-7b3e-7abc-8def-0123456789ab" },
    { "upper case", TEXT("0192F0C1-7B3E-7ABC-8DEF-0123456789AB"),
      "0192f0c1-7b3e-7abc-8def-0123456789ab" },
    { "nothing", TEXT(""), NULL },
    { "too short", TEXT("0192f0c1-7b3e-7abc-8def-0123456789a"), NULL },
    { "too long", TEXT("0192f0c1-7b3e-7abc-8def-0123456789abc"), NULL },
    { "no digit", TEXT("0192f0c1-7b3e-7abc-8def-0123456789ag"), NULL },
    { "hyphens elsewhere", TEXT("0192f0c17-b3e-7abc-8def-0123456789ab"), NULL },
    { "digit for a hyphen", TEXT("0192f0c1-7b3e-7abc08def-0123456789ab"), NULL },
    { "no hyphens", TEXT("0192f0c17b3e7abc8def0123456789ab"), NULL },
    { "braces", TEXT("{0192f0c1-7b3e-7abc-8def-0123456789}"), NULL },
    { "NUL", TEXT("0192f0c1-7b3e-7abc-8def-0123456789a\0"), NULL },
};

static void check(void **state)
{
    const struct row *row = *state;
    struct uuid uuid = { 0 };
    char text[UUID_TEXT_BYTES];

    assert_int_equal(uuid_parse(row->text, &uuid), row->want != NULL);
    uuid_format(text, &uuid);
    assert_string_equal(text, row->want ? row->want : "00000000-0000-0000-0000-000000000000");
}

static void new_ones_hold_the_time(void **state)
{
    (void)state;
    char text[UUID_TEXT_BYTES];
    clock_stop(0, 0x0192f0c17b3e);
    struct uuid uuid = uuid_new();
    clock_run();
    uuid_format(text, &uuid);
    assert_memory_equal(text, "0192f0c1-7b3e-7", 15); /* version 7 */
    assert_non_null(strchr("89ab", text[19]));        /* variant 10 */
}

static void new_ones_differ_and_sort_by_time(void **state)
{
    (void)state;
    clock_stop(0, 1000);
    struct uuid first = uuid_new();
    struct uuid twin = uuid_new();
    clock_stop(0, 1001);
    struct uuid later = uuid_new();
    clock_run();
    assert_true(uuid_equal(&first, &first));
    assert_false(uuid_equal(&first, &twin));
    assert_true(memcmp(&first, &later, sizeof(first)) < 0);
    assert_true(memcmp(&twin, &later, sizeof(first)) < 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(new_ones_hold_the_time),
        cmocka_unit_test(new_ones_differ_and_sort_by_time),
    };
    return RUN_ROWS(rows, check) + cmocka_run_group_tests(tests, NULL, NULL);
}
