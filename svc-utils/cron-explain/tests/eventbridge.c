/* svc-utils/cron-explain/tests/eventbridge.c - cron(), rate() and at() as EventBridge reads them.
 */
#include "explain.h"

static const struct row {
    const char *name; /* the expression */
    const char *want; /* the description, or a part of the message of a refusal */
    bool is_valid;
} rows[] = {
    /* six fixed fields, one day field is ? */
    { "cron(0 10 * * ? *)", "At 10:00 AM", true },
    { "cron(15 12 ? * MON-FRI *)", "At 12:15 PM, Monday through Friday", true },
    { "cron(0 18 ? * 2-6 *)", "At 06:00 PM, Monday through Friday", true },
    { "cron(0 8 1 * ? *)", "At 08:00 AM, on day 1 of the month", true },
    { "cron(0/15 * * * ? *)", "Every 15 minutes", true },
    { "cron(0/5 8-17 ? * MON-FRI *)",
      "Every 5 minutes, between 08:00 AM and 05:59 PM, Monday through Friday", true },
    { "cron(0 9 ? * 2#1 *)", "At 09:00 AM, on the first Monday of the month", true },
    { "cron(15 10 ? * 6L 2022-2023)",
      "At 10:15 AM, on the last Friday of the month, 2022 through 2023", true },
    { "cron(0 0 L * ? *)", "At 12:00 AM, on the last day of the month", true },
    { "cron(0 0 3W * ? *)", "At 12:00 AM, on the weekday nearest day 3 of the month", true },
    { "cron(0 10 ? JAN 1 2030)", "At 10:00 AM, only on Sunday, only in January, only in 2030",
      true },
    { "cron(0 0 1 1 ? 2199)", "At 12:00 AM, on day 1 of the month, only in January, only in 2199",
      true },
    { "cron(0 0 1 1 ? 2030/2)",
      "At 12:00 AM, on day 1 of the month, only in January, every 2 years, 2030 through 9999",
      true },
    { "  cron( 0 10 * * ? * )  ", "At 10:00 AM", true },
    { "TZ=Europe/Paris cron(0 10 * * ? *)", "At 10:00 AM", true },

    /* both day fields, or none */
    { "cron(0 10 1 * 2 *)", "write cron(0 10 1 * ? *) or cron(0 10 ? * 2 *)", false },
    { "cron(0 10 1 * 2 *)", "day_of_month (field 3) and day_of_week (field 5, 1 = Sunday)", false },
    { "cron(15 0 * * MON-FRI *)", "must be ?: write cron(15 0 ? * MON-FRI *)", false },
    { "cron(15 0 1,15 * * *)", "must be ?: write cron(15 0 1,15 * ? *)", false },
    { "cron(15 0 ? * ? *)", "must be ?: write cron(15 0 * * ? *)", false },
    { "cron(0 0 * * * *)", "must be ?: write cron(0 0 * * ? *)", false },

    /* field counts and values */
    { "cron(* * * * 0)", "has six fields, minute hour day_of_month month day_of_week year", false },
    { "cron(0 10 * * ?)", "it has 5", false },
    { "cron(0 0 10 * * ? *)", "it has 7", false },
    { "cron(0 0 10 * * ? * *)", "it has more than 7", false },
    { "cron()", "it has 0", false },
    { "cron(0 10 ? * 0 *)", "day_of_week field, character 15: a weekday counted from Sunday = 1",
      false },
    { "cron(0 10 ? * 8 *)", "a weekday counted from Sunday = 1 must be from 1 to 7", false },
    { "cron(0 10 * * ? 2200)", "EventBridge allows 1970 to 2199", false },
    { "cron(0 10 * * ? 2100-2300)", "EventBridge allows 1970 to 2199", false },
    { "cron(0 10 MON * ? *)", "day_of_month field, character 11: unknown name", false },

    /* rate() */
    { "rate(1 minute)", "Every 1 minute", true },
    { "rate(5 minutes)", "Every 5 minutes", true },
    { "rate(1 hour)", "Every 1 hour", true },
    { "rate(7 days)", "Every 168 hours", true },
    { "rate(1 hours)", "rate(1 hour)", false },
    { "rate(5 hour)", "rate(5 hours)", false },
    { "rate(5)", "such as rate(5 minutes)", false },
    { "rate(1.5 hours)", "such as rate(5 minutes)", false },
    { "rate(-5 minutes)", "such as rate(5 minutes)", false },

    /* at() */
    { "at(2026-11-20T13:00:00)",
      "At 01:00 PM, on day 20 of the month, only in November, only in 2026", true },
    { "at(2027-02-28T23:59:59)",
      "At 11:59:59 PM, on day 28 of the month, only in February, only in 2027", true },
    { "at(2027-02-29T00:00:00)", "such as at(2026-11-20T13:00:00)", false },
    { "at(2026-11-20T13:00:00Z)", "such as at(2026-11-20T13:00:00)", false },
    { "at(2026-11-20T13:00)", "such as at(2026-11-20T13:00:00)", false },
    { "at(2026-11-20 13:00:00)", "such as at(2026-11-20T13:00:00)", false },
    { "at(1969-12-31T23:59:59)", "must be from 1970 to 9999", false },
    { "at()", "such as at(2026-11-20T13:00:00)", false },
};

static void check(void **state)
{
    const struct row *row = *state;
    scoped(json_free) cJSON *result = json_object();
    struct err err = { 0 };
    bool ok = explain_text(row->name, "", result, &err);
    const char *got = ok ? json_text(result, "/description") : err.message;
    if (ok ? strcmp(got, row->want) != 0 : !strstr(got, row->want))
        assert_string_equal(got, row->want);
    assert_int_equal(ok, row->is_valid);
    assert_string_equal(err_code(err.kind), ok ? "" : "invalid_expression");
}

/* at() runs once, at its local time. */
static void runs_once(void **state)
{
    (void)state;
    scoped(json_free) cJSON *result = json_object();
    struct err err = { 0 };
    assert_true(explain_text("at(2026-11-20T13:00:00)",
                             "'timezone':'Europe/Paris','from':'2026-01-01'", result, &err));
    assert_string_equal(json_text(result, "/next_runs/0"), "2026-11-20T12:00:00.000Z");
    assert_null(json_at(result, "/next_runs/1"));
    assert_string_equal(json_text(result, "/normalized"), "0 0 13 20 11 * 2026");
}

int main(void)
{
    const struct CMUnitTest singles[] = { cmocka_unit_test(runs_once) };
    return RUN_ROWS(rows, check) + cmocka_run_group_tests(singles, NULL, NULL);
}
