/* tests/unit/svc-chat/time/instant.c - which JSON values are a point in time. The text forms are
 * tested in detail in chatplatform-timestamp.c. */
#include "time/instant.h"

#include "expect.h"

#define NOW_MS INT64_C(1618953630000)

static const struct row {
    const char *name;
    const char *value; /* JSON, 'single quotes' for double ones */
    int64_t unix_ms;
    enum err_kind refused; /* ERR_NONE: success */
} rows[] = {
    { "now", "'now'", NOW_MS },
    { "seconds", "1618953630", NOW_MS },
    { "seconds with a fraction", "1618953630.123", NOW_MS + 123 },
    { "seconds as text", "'1618953630'", NOW_MS },
    { "milliseconds", "1618953630000", NOW_MS },
    { "before 1970", "-1.5", -1500 },
    { "an id as text", "'175928847299117063'", INT64_C(1462015105796) },
    { "an id as a number", "175928847299117063", 0, ERR_PRECISION_LOSS },
    { "between milliseconds and ids", "100000000000000", 0, ERR_INVALID_TIMESTAMP },
    { "beyond doubles", "1e999", 0, ERR_PRECISION_LOSS },
    { "far below", "-1e300", 0, ERR_PRECISION_LOSS },
    { "beyond the years", "'9999-12-31T23:59:59-01:00'", 0, ERR_TIMESTAMP_OUT_OF_RANGE },
    { "another text", "'soon'", 0, ERR_INVALID_TIMESTAMP },
    { "an empty text", "''", 0, ERR_INVALID_TIMESTAMP },
    { "null", "null", 0, ERR_INVALID_TIMESTAMP },
    { "true", "true", 0, ERR_INVALID_TIMESTAMP },
    { "false", "false", 0, ERR_INVALID_TIMESTAMP },
    { "a list", "['now']", 0, ERR_INVALID_TIMESTAMP },
    { "an object", "{'now':'now'}", 0, ERR_INVALID_TIMESTAMP },
};

static void check(void **state)
{
    const struct row *row = *state;
    scoped(json_free) cJSON *value = quoted_tree(row->value);
    struct instant instant = { .unix_ms = -7 };
    struct err err = { 0 };

    bool ok = instant_read(value, "at", NULL, NOW_MS, &instant, &err);
    assert_int_equal(err.kind, row->refused);
    assert_int_equal(ok, row->refused == ERR_NONE);
    assert_int_equal(instant.unix_ms, ok ? row->unix_ms : -7);
}

/* A missing value: the caller need not check first. */
static void nothing(void **state)
{
    (void)state;
    struct instant instant;
    struct err err = { 0 };
    assert_false(instant_read(NULL, "at", NULL, NOW_MS, &instant, &err));
    assert_int_equal(err.kind, ERR_INVALID_TIMESTAMP);
}

int main(void)
{
    const struct CMUnitTest singles[] = { cmocka_unit_test(nothing) };
    return RUN_ROWS(rows, check) + cmocka_run_group_tests(singles, NULL, NULL);
}
