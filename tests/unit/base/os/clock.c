/* tests/unit/base/os/clock.c - the text form of a time, and that tests can stop the clock. */
#include "base/os/clock.h"

#include "rows.h"

static const struct row {
    const char *name;
    int64_t wall_ms;
    const char *text;
} rows[] = {
    { "the epoch", 0, "1970-01-01T00:00:00.000Z" },
    { "milliseconds", 1795258800007, "2026-11-21T11:00:00.007Z" },
    { "leap day", 1709210096789, "2024-02-29T12:34:56.789Z" },
    { "before the epoch", -1, "1969-12-31T23:59:59.999Z" },
    { "a whole second before it", -1000, "1969-12-31T23:59:59.000Z" },
    { "first year", -62167219200000, "0000-01-01T00:00:00.000Z" },
    { "last year", 253402300799999, "9999-12-31T23:59:59.999Z" },
};

static void check(void **state)
{
    const struct row *row = *state;
    char text[CLOCK_TEXT_BYTES];
    clock_format(text, row->wall_ms);
    assert_string_equal(text, row->text);
}

/* A text has four digits for the year. */
static void far_times_have_no_text(void **state)
{
    (void)state;
    assert_true(clock_has_text(-62167219200000));
    assert_false(clock_has_text(-62167219200001));
    assert_true(clock_has_text(253402300799999));
    assert_false(clock_has_text(253402300800000));
    assert_false(clock_has_text(INT64_MIN));
    assert_false(clock_has_text(INT64_MAX));
}

static void stops_and_runs_again(void **state)
{
    (void)state;
    clock_stop(5000, 1000);
    assert_int_equal(clock_ms(), 5000);
    assert_int_equal(clock_us(), 5000000);
    assert_int_equal(clock_wall_ms(), 1000);
    clock_run();
    assert_true(clock_wall_ms() > 1700000000000);
    int64_t before_us = clock_us();
    assert_true(clock_us() >= before_us);
    assert_true(clock_ms() >= before_us / 1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(far_times_have_no_text),
        cmocka_unit_test(stops_and_runs_again),
    };
    return RUN_ROWS(rows, check) + cmocka_run_group_tests(tests, NULL, NULL);
}
