/* svc-utils/cron-explain/tests/cron-explain.c - grammar, wording, runs, clock changes, warnings. */
#include <string.h>

#include "tool.h"
#include "tools.h"

/* Explain one expression, with more request fields ("" for none). */
static bool explain(const char *expression, const char *more, cJSON *result, struct err *err)
{
    scoped(mem_free) char *body =
        str_format("{'expression':'%s'%s%s}", expression, *more ? "," : "", more);
    return run_tool(cron_explain, "cron-explain", body, result, NULL, err);
}

static cJSON *explained(const char *expression, const char *more)
{
    cJSON *result = json_object();
    struct err err = { 0 };
    bool ok = explain(expression, more, result, &err);
    assert_string_equal(err.message, "");
    assert_true(ok);
    return result;
}

static const struct wording_row {
    const char *name; /* the expression */
    const char *more;
    const char *want;
} wording_rows[] = {
    /* the time */
    { "* * * * *", "", "Every minute" },
    { "0 * * * *", "", "Every hour" },
    { "5 9 * * *", "", "At 09:05 AM" },
    { "0 0 * * *", "", "At 12:00 AM" },
    { "0 12 * * *", "", "At 12:00 PM" },
    { "30 23 * * *", "'use_24_hour':true", "At 23:30" },
    { "5 4 3 * * *", "", "At 03:04:05 AM" },
    { "0 4 3 * * *", "", "At 03:04 AM" },
    { "10-20 9 * * *", "", "Every minute between 09:10 AM and 09:20 AM" },
    { "55-5 9 * * *", "", "Minutes 55 through 5 past the hour, at 09:00 AM" },
    { "0 9,12,17 * * *", "", "At 09:00 AM, 12:00 PM and 05:00 PM" },
    { "0 17,9,9 * * *", "", "At 09:00 AM and 05:00 PM" },
    { "0,30 9,12 * * *", "", "At 0 and 30 minutes past the hour, at 09:00 AM and 12:00 PM" },
    { "45,0,15 * * * *", "", "At 0, 15, and 45 minutes past the hour" },
    { "* 9 * * *", "", "Every minute, between 09:00 AM and 09:59 AM" },
    { "1 * * * *", "", "At 1 minute past the hour" },
    { "1 * * * * *", "", "At 1 second past the minute" },
    { "5 * 9-17 * * *", "", "At 5 seconds past the minute, between 09:00 AM and 05:59 PM" },
    { "5 0 * * * *", "", "At 5 seconds past the minute, on the hour" },
    { "*/10 * * * * *", "", "Every 10 seconds" },
    { "0-10 * * * * *", "", "Seconds 0 through 10 past the minute" },
    { "* * * * * *", "", "Every second" },
    { "*/5 * * * *", "", "Every 5 minutes" },
    { "0/5 * * * *", "", "Every 5 minutes" },
    { "*/1 * * * *", "", "Every minute" },
    { "5/20 * * * *", "", "Every 20 minutes, starting at 5 minutes past the hour" },
    { "30 */2 * * *", "", "At 30 minutes past the hour, every 2 hours" },
    { "0 9-17 * * *", "", "Every hour, between 09:00 AM and 05:00 PM" },
    { "*/15 9-17/2 * * *", "", "Every 15 minutes, every 2 hours, between 09:00 AM and 05:59 PM" },
    { "*/5 0-4,6-8 * * *", "",
      "Every 5 minutes, at 12:00 AM through 04:59 AM and 06:00 AM through 08:59 AM" },
    { "0 */4,6 * * *", "", "On the hour, every 4 hours and at 06:00 AM" },
    { "*/5 * * * *", "'verbose':true", "Every 5 minutes, every hour, every day" },

    /* the date */
    { "0 0 1 * *", "", "At 12:00 AM, on day 1 of the month" },
    { "0 0 15,1 * *", "", "At 12:00 AM, on day 1 and 15 of the month" },
    { "0 0 1-7 * *", "", "At 12:00 AM, between day 1 and 7 of the month" },
    { "0 0 1,2-5 * *", "", "At 12:00 AM, on day 1 and 2 through 5 of the month" },
    { "0 0 */2 * *", "", "At 12:00 AM, every 2 days in a month" },
    { "0 0 1/2 * *", "", "At 12:00 AM, every 2 days in a month" },
    { "0 0 3/5 * *", "", "At 12:00 AM, every 5 days in a month, starting on day 3 of the month" },
    { "0 0 L * *", "", "At 12:00 AM, on the last day of the month" },
    { "0 0 L,15 * *", "", "At 12:00 AM, on day 15 and the last day of the month" },
    { "0 0 L-1 * *", "", "At 12:00 AM, 1 day before the last day of the month" },
    { "0 0 L-3 * *", "", "At 12:00 AM, 3 days before the last day of the month" },
    { "0 0 L-0 * *", "", "At 12:00 AM, on the last day of the month" },
    { "0 0 LW * ?", "", "At 12:00 AM, on the last weekday of the month" },
    { "0 0 l-3w * ?", "",
      "At 12:00 AM, on the weekday nearest 3 days before the last day of the month" },
    { "0 0 1W * ?", "", "At 12:00 AM, on the first weekday of the month" },
    { "0 0 15W * ?", "", "At 12:00 AM, on the weekday nearest day 15 of the month" },
    { "0 0 * * 1", "", "At 12:00 AM, only on Monday" },
    { "0 0 * * 7", "", "At 12:00 AM, only on Sunday" },
    { "0 0 * * 5,MON,3", "", "At 12:00 AM, only on Monday, Wednesday, and Friday" },
    { "0 0 * * mon-FRI", "", "At 12:00 AM, Monday through Friday" },
    { "0 0 * * Friday-Monday", "", "At 12:00 AM, Friday through Monday" },
    { "0 0 * * 1,3-5", "", "At 12:00 AM, only on Monday and Wednesday through Friday" },
    { "0 0 * * */2", "", "At 12:00 AM, every 2 days of the week" },
    { "0 9 * * 0-4/2,5,6", "",
      "At 09:00 AM, every 2 days of the week, Sunday through Thursday, only on Friday, and only on "
      "Saturday" },
    { "0 0 * * 1#1", "", "At 12:00 AM, on the first Monday of the month" },
    { "0 0 * * 1#1,3#5", "", "At 12:00 AM, on the first Monday and fifth Wednesday of the month" },
    { "0 0 * * FRIL", "", "At 12:00 AM, on the last Friday of the month" },
    { "0 0 * * LFRI", "", "At 12:00 AM, on the last Friday of the month" },
    { "0 0 * * 5#L", "", "At 12:00 AM, on the last Friday of the month" },
    { "0 0 * * SAT-SUN#L", "", "At 12:00 AM, on the last Saturday through Sunday of the month" },
    { "0 0 * * 5L,1", "", "At 12:00 AM, only on Monday and on the last Friday of the month" },
    { "0 0 * * L", "", "At 12:00 AM, only on Saturday" },
    { "0 0 * * 2", "'weekday_numbering':'sunday1'", "At 12:00 AM, only on Monday" },
    { "0 0 * JAN,december *", "", "At 12:00 AM, only in January and December" },
    { "0 0 * 1,3-5 *", "", "At 12:00 AM, only in January and March through May" },
    { "0 0 * */3 *", "", "At 12:00 AM, every 3 months" },
    { "0 0 * 2/3 *", "", "At 12:00 AM, every 3 months, February through December" },
    { "0 0 * * * 2030", "", "At 12:00 AM, only in 2030" },
    { "0 0 * * * 2030-2032", "", "At 12:00 AM, 2030 through 2032" },
    { "0 0 * * * 2030/2", "", "At 12:00 AM, every 2 years, 2030 through 9999" },

    { "0 0 WL * ?", "", "At 12:00 AM, on the last weekday of the month" },
    { "0 0 W15 * ?", "", "At 12:00 AM, on the weekday nearest day 15 of the month" },
    { "0 0 1W,15W * ?", "",
      "At 12:00 AM, on the first weekday of the month and on the weekday nearest day 15 of the "
      "month" },
    { "0 0 20-L * *", "", "At 12:00 AM, between day 20 and the last day of the month" },
    { "0 0 5,20-L * *", "", "At 12:00 AM, on day 5 and 20 through the last day of the month" },
    { "0 0 20-25,5,1 * *", "", "At 12:00 AM, on day 1, 5, and 20 through 25 of the month" },
    { "0 0 15W,1 * *", "",
      "At 12:00 AM, on day 1 of the month and on the weekday nearest day 15 of the month" },
    { "0 0 LW,15 * *", "",
      "At 12:00 AM, on day 15 of the month and on the last weekday of the month" },
    { "0 0 L,L-2,15W,3 * *", "",
      "At 12:00 AM, on day 3 of the month, on the weekday nearest day 15 of the month, 2 days "
      "before "
      "the last day of the month, and on the last day of the month" },
    { "0 0 L,1-5 * *", "", "At 12:00 AM, on day 1 through 5 and the last day of the month" },
    { "0 0 * * 5,3-4,1", "",
      "At 12:00 AM, only on Monday, Wednesday through Thursday, and Friday" },
    { "0 0 * * 5#3,1", "", "At 12:00 AM, only on Monday and on the third Friday of the month" },
    { "*/20,50,5 * * * *", "",
      "Every 20 minutes, at 5 minutes past the hour, and at 50 minutes past the hour" },
    { "cron(0 10 ? * 2-6 *)", "", "At 10:00 AM, Monday through Friday" },
    { "CRON( 15 10 ? * 6L 2019-2022 )", "",
      "At 10:15 AM, on the last Friday of the month, 2019 through 2022" },
    { "rate(1 hour)", "", "Every 1 hour" },
    { "rate(10 minutes)", "", "Every 10 minutes" },
    { "@every 1d", "", "Every 24 hours" },

    /* both day fields */
    { "0 0 13 * FRI", "", "At 12:00 AM, on day 13 of the month, and on Friday" },
    { "0 0 13 * 1-5", "", "At 12:00 AM, on day 13 of the month, and Monday through Friday" },
    { "0 0 13 * 1#1", "",
      "At 12:00 AM, on day 13 of the month, and on the first Monday of the month" },
    { "0 0 13 * +FRI", "", "At 12:00 AM, on day 13 of the month, only on Friday" },
    { "0 0 13 * FRI", "'day_match':'and'", "At 12:00 AM, on day 13 of the month, only on Friday" },

    /* macros */
    { "@daily", "", "At 12:00 AM" },
    { "@WEEKLY", "", "At 12:00 AM, only on Sunday" },
    { "@yearly", "", "At 12:00 AM, on day 1 of the month, only in January" },
    { "@annually", "", "At 12:00 AM, on day 1 of the month, only in January" },
    { "@monthly", "", "At 12:00 AM, on day 1 of the month" },
    { "@midnight", "", "At 12:00 AM" },
    { "@every_minute", "", "Every minute" },
    { "@hourly", "", "Every hour" },
    { "@every_second", "", "Every second" },
    { "@reboot", "", "Run once, at startup" },
    { "@every 1h30m", "", "Every 1 hour 30 minutes" },
    { "@every 90s", "", "Every 1 minute 30 seconds" },
};

static void check_wording(void **state)
{
    const struct wording_row *row = *state;
    scoped(json_free) cJSON *result = explained(row->name, row->more);
    assert_string_equal(json_text(result, "/description"), row->want);
}

static const struct refusal_row {
    const char *name; /* the expression */
    const char *more;
    const char *code;
    const char *message; /* its end; NULL: any */
} refusal_rows[] = {
    { "", "", "too_short", NULL },
    { "   ", "", "invalid_expression", "it has 0" },
    { "* * * *", "", "invalid_expression", "it has 4" },
    { "* * * * * * * *", "", "invalid_expression", "it has more than 7" },
    { "60 * * * *", "", "invalid_expression",
      "minute field, character 1: a value must be from 0 to 59" },
    { "* 24 * * *", "", "invalid_expression",
      "hour field, character 3: a value must be from 0 to 23" },
    { "* * 0 * *", "", "invalid_expression", "a value must be from 1 to 31" },
    { "* * * 13 *", "", "invalid_expression", "a value must be from 1 to 12" },
    { "* * * * 8", "", "invalid_expression", "a value must be from 0 to 7" },
    { "* * * * 0", "'weekday_numbering':'sunday1'", "invalid_expression", "must be from 1 to 7" },
    { "* * * * * 1969", "", "invalid_expression", "a value must be from 1970 to 9999" },
    { "* * * * * * 10000", "", "invalid_expression", "a value must be from 1970 to 9999" },
    { "99999999999999999999 * * * *", "", "invalid_expression", NULL },
    { "1,,2 * * * *", "", "invalid_expression", "an item of the list is missing" },
    { ",1 * * * *", "", "invalid_expression", "an item of the list is missing" },
    { "1, * * * *", "", "invalid_expression", "an item of the list is missing" },
    { "5- * * * *", "", "invalid_expression", "character 3: a value is missing" },
    { "/5 * * * *", "", "invalid_expression", "a value is expected" },
    { "*/ * * * *", "", "invalid_expression", "the step is missing" },
    { "*/0 * * * *", "", "invalid_expression", "the step must be from 1 to 60" },
    { "*/61 * * * *", "", "invalid_expression", "the step must be from 1 to 60" },
    { "* */25 * * *", "", "invalid_expression", "the step must be from 1 to 24" },
    { "* * * * */8", "", "invalid_expression", "the step must be from 1 to 7" },
    { "-5 * * * *", "", "invalid_expression", "a value is expected" },
    { "+5 * * * *", "", "invalid_expression", "a value is expected" },
    { "H * * * *", "", "invalid_expression", "replace it by a number" },
    { "* * * MO *", "", "invalid_expression", "unknown name" },
    { "* * * * JAN", "", "invalid_expression", "unknown name" },
    { "* * * MAYX *", "", "invalid_expression", "unexpected text" },
    { "5x * * * *", "", "invalid_expression", "unexpected text" },
    { "1-2-3 * * * *", "", "invalid_expression", "unexpected text" },
    { "*5 * * * *", "", "invalid_expression", "unexpected text" },
    { "*/5/5 * * * *", "", "invalid_expression", "unexpected text" },
    { "?,1 * * * *", "", "invalid_expression", "a value is expected" },
    { "* * 1-L,W * *", "", "invalid_expression", "the day after W is missing" },
    { "* * W0 * *", "", "invalid_expression", "the day after W must be from 1 to 31" },
    { "* * W1W * *", "", "invalid_expression", "unexpected text" },
    { "* * WLW * *", "", "invalid_expression", "unexpected text" },
    { "* * 20-LW * *", "", "invalid_expression", "W requires a single day before it" },
    { "* 20-L * * *", "", "invalid_expression", "unknown name" },
    { "* * * 2-L *", "", "invalid_expression", "unknown name" },
    { "cron(* * * *)", "", "invalid_expression", "it has 4" },
    { "cron(0 0 ? * 0 *)", "", "invalid_expression", "from 1 to 7" },
    { "cron(* * * * *", "", "invalid_expression", NULL },
    { "cron()", "", "invalid_expression", "it has 0" },
    { "rate()", "", "invalid_expression", "such as rate(5 minutes)" },
    { "rate(0 minutes)", "", "invalid_expression", "such as rate(5 minutes)" },
    { "rate(5 weeks)", "", "invalid_expression", "such as rate(5 minutes)" },
    { "rate(5minutes)", "", "invalid_expression", "such as rate(5 minutes)" },
    { "rate(367 days)", "", "invalid_expression", "at most 366 days, such as rate(5 minutes)" },
    { "@every 367d", "", "invalid_expression", NULL },
    { "@every 1h1d", "", "invalid_expression", NULL },
    { "* * 1-5W * *", "", "invalid_expression", "W requires a single day before it" },
    { "* * W * *", "", "invalid_expression", "the day after W is missing" },
    { "* * L/2 * *", "", "invalid_expression", "a step requires *, a value or a range before it" },
    { "* * L-31 * *", "", "invalid_expression", "days before the last must be from 0 to 30" },
    { "L * * * *", "", "invalid_expression", "unknown name" },
    { "* * * * 1#0", "", "invalid_expression", "the number after # must be from 1 to 5" },
    { "* * * * 1#6", "", "invalid_expression", "the number after # must be from 1 to 5" },
    { "* * * * 1#", "", "invalid_expression", "the number after # is missing" },
    { "* * * * * * 2030-2026", "", "invalid_expression", "the last year is before the first" },
    { "* * * * \u00e9", "", "invalid_expression", "a value is expected" },
    { "@foo", "", "invalid_expression", NULL },
    { "@daily 5", "", "invalid_expression", "nothing may follow a macro" },
    { "@every", "", "invalid_expression", NULL },
    { "@every 0s", "", "invalid_expression", NULL },
    { "@every 5", "", "invalid_expression", NULL },
    { "@every 1m1h", "", "invalid_expression", NULL },
    { "@every 8785h", "", "invalid_expression", NULL },
    { "TZ= * * * * *", "", "invalid_timezone", NULL },
    { "TZ=Mars/Olympus * * * * *", "", "invalid_timezone", NULL },
    { "* * * * *", "'timezone':'/etc/localtime'", "invalid_timezone", NULL },
    { "* * * * *", "'timezone':'+24:00'", "invalid_timezone", NULL },
    { "* * * * *", "'weekday_numbering':'monday1'", "invalid_value", NULL },
    { "* * * * *", "'day_match':'xor'", "invalid_value", NULL },
    { "* * * * *", "'use_24_hour':1", "invalid_type", NULL },
    { "* * * * *", "'timezone':'Mars'", "invalid_timezone", NULL },
    { "* * * * *", "'timezone':'../UTC'", "invalid_timezone", NULL },
    { "* * * * *", "'count':0", "invalid_value", NULL },
    { "* * * * *", "'count':101", "invalid_value", NULL },
    { "* * * * *", "'from':'yesterday'", "invalid_value", NULL },
    { "* * * * *", "'from':-1", "invalid_value", NULL },
    { "* * * * *", "'from':'1969-12-31T23:59:59Z'", "invalid_value", NULL },
    { "* * * * *", "'from':253402300800", "invalid_value", NULL },
    { "* * * * *", "'from':1.5", "invalid_type", NULL },
    { "* * * * *", "'dst':'x'", "invalid_value", NULL },
};

static void check_refusal(void **state)
{
    const struct refusal_row *row = *state;
    scoped(json_free) cJSON *result = json_object();
    struct err err = { 0 };
    assert_false(explain(row->name, row->more, result, &err));
    assert_string_equal(err_code(err.kind), row->code);
    if (row->message && !strstr(err.message, row->message))
        assert_string_equal(err.message, row->message);
}

static const struct time_row {
    const char *name; /* the expression */
    const char *more;
    const char *want; /* runs as local times; d, 1 or 2 after a run is its note */
} time_rows[] = {
    { "0 9 * * *", "'from':'2026-01-01T09:00'", "2026-01-02T09:00:00+00:00" },
    { "0 9 * * *", "'from':'2026-01-01T08:59:59.999'", "2026-01-01T09:00:00+00:00" },
    { "0 9 * * *", "'from':1767258000", "2026-01-02T09:00:00+00:00" },
    { "*/20 22-1 * * *", "'from':'2026-01-01T23:30','count':3",
      "2026-01-01T23:40:00+00:00 2026-01-02T00:00:00+00:00 2026-01-02T00:20:00+00:00" },
    { "59 59 23 31 12 ? *", "'from':'2026-12-31T23:59:59'", "2027-12-31T23:59:59+00:00" },
    { "0 0 29 2 *", "'from':'2096-02-29','count':2",
      "2104-02-29T00:00:00+00:00 2108-02-29T00:00:00+00:00" },
    { "0 0 29 2 +MON", "'from':'2026-01-01'", "2044-02-29T00:00:00+00:00" },
    { "0 0 31 * *", "'from':'2026-01-31','count':2",
      "2026-03-31T00:00:00+00:00 2026-05-31T00:00:00+00:00" },
    { "0 0 L * *", "'from':'2028-02-01'", "2028-02-29T00:00:00+00:00" },
    { "0 0 L-30 * *", "'from':'2026-02-01'", "2026-03-01T00:00:00+00:00" },
    { "0 0 LW * *", "'from':'2026-05-01'", "2026-05-29T00:00:00+00:00" },
    { "0 0 1W * *", "'from':'2026-07-31'", "2026-08-03T00:00:00+00:00" },
    { "0 0 1W * *", "'from':'2026-02-01'", "2026-02-02T00:00:00+00:00" },
    { "0 0 15W * *", "'from':'2026-08-01'", "2026-08-14T00:00:00+00:00" },
    { "0 0 31W * *", "'from':'2026-05-01','count':2",
      "2026-05-29T00:00:00+00:00 2026-07-31T00:00:00+00:00" },
    { "0 0 * * 5#5", "'from':'2026-01-31'", "2026-05-29T00:00:00+00:00" },
    { "0 0 * * FRIL", "'from':'2026-02-01'", "2026-02-27T00:00:00+00:00" },
    { "0 0 13 * 5", "'from':'2026-01-10','count':2",
      "2026-01-13T00:00:00+00:00 2026-01-16T00:00:00+00:00" },
    { "0 0 13 * +5", "'from':'2026-01-10','count':2",
      "2026-02-13T00:00:00+00:00 2026-03-13T00:00:00+00:00" },
    { "0 0 */10 * 5", "'from':'2026-01-10','count':2",
      "2026-01-11T00:00:00+00:00 2026-01-16T00:00:00+00:00" },
    { "0 0 * * *", "'from':'9999-12-30','count':5", "9999-12-31T00:00:00+00:00" },
    { "0 0 1 1 * 2030", "'from':'2026-01-01','count':5", "2030-01-01T00:00:00+00:00" },
    { "@every 36h", "'from':'2026-01-01T01:00','count':2",
      "2026-01-02T13:00:00+00:00 2026-01-04T01:00:00+00:00" },
    { "TZ=asia/kolkata 0 9 * * *", "'from':'2026-01-01T00:00Z'", "2026-01-01T09:00:00+05:30" },
    { "CRON_TZ=Asia/Kolkata 0 9 * * *", "'from':'2026-01-01T00:00Z'", "2026-01-01T09:00:00+05:30" },
    { "TZ=Asia/Kolkata 0 9 * * *", "'tz':'+01:00','start':'2026-01-01T00:00Z'",
      "2026-01-01T09:00:00+01:00" },

    { "0 0 WL * *", "'from':'2026-05-01'", "2026-05-29T00:00:00+00:00" },
    { "0 0 1W,15W * *", "'from':'2026-07-31','count':2",
      "2026-08-03T00:00:00+00:00 2026-08-14T00:00:00+00:00" },
    { "0 0 27-L 2 *", "'from':'2028-02-01','count':4",
      "2028-02-27T00:00:00+00:00 2028-02-28T00:00:00+00:00 2028-02-29T00:00:00+00:00 "
      "2029-02-27T00:00:00+00:00" },
    { "0 0 25-L/3 2 *", "'from':'2026-02-01','count':2",
      "2026-02-25T00:00:00+00:00 2026-02-28T00:00:00+00:00" },
    { "cron(0 10 ? * 2 *)", "'from':'2026-01-01'", "2026-01-05T10:00:00+00:00" },
    { "rate(2 days)", "'from':'2026-01-01'", "2026-01-03T00:00:00+00:00" },
    { "@every 1d12h", "'from':'2026-01-01'", "2026-01-02T12:00:00+00:00" },
    { "0 0 29W 2 *", "'from':'2026-01-01'", "2028-02-29T00:00:00+00:00" },
    { "0 0 28-2 11-1 ?", "'from':'2026-10-30','count':4",
      "2026-11-01T00:00:00+00:00 2026-11-02T00:00:00+00:00 2026-11-28T00:00:00+00:00 "
      "2026-11-29T00:00:00+00:00" },
    { "0 9 * * *", "'timezone':'+05:45','from':'2026-01-01T00:00Z'", "2026-01-01T09:00:00+05:45" },
    { "0 9 * * *", "'timezone':'europe/PARIS','from':'2026-07-01T00:00Z'",
      "2026-07-01T09:00:00+02:00" },

    /* clocks go forward at 02:00 on 2026-03-08 in New York */
    { "30 2 * * *", "'timezone':'America/New_York','from':'2026-03-07T12:00','count':2",
      "2026-03-08T03:00:00-04:00d 2026-03-09T02:30:00-04:00" },
    { "30 2 * * *",
      "'timezone':'America/New_York','from':'2026-03-07T12:00','count':2,'dst':'shift'",
      "2026-03-08T03:30:00-04:00d 2026-03-09T02:30:00-04:00" },
    { "30 2 * * *",
      "'timezone':'America/New_York','from':'2026-03-07T12:00','count':1,'dst':'skip'",
      "2026-03-09T02:30:00-04:00" },
    { "*/30 * * * *", "'timezone':'America/New_York','from':'2026-03-08T01:00','count':2",
      "2026-03-08T01:30:00-05:00 2026-03-08T03:00:00-04:00" },
    { "*/20 2 * * *", "'timezone':'America/New_York','from':'2026-03-08T00:00','count':2",
      "2026-03-08T03:00:00-04:00d 2026-03-09T02:00:00-04:00" },
    { "0,30 2,3 * * *",
      "'timezone':'America/New_York','from':'2026-03-08T00:00','count':3,'dst':'shift'",
      "2026-03-08T03:00:00-04:00 2026-03-08T03:30:00-04:00 2026-03-09T02:00:00-04:00" },
    { "30 2 * * *", "'timezone':'America/New_York','from':'2026-03-08T07:00Z'",
      "2026-03-09T02:30:00-04:00" },

    /* and back at 02:00 on 2026-11-01 */
    { "30 1 * * *", "'timezone':'America/New_York','from':'2026-10-31T12:00','count':2",
      "2026-11-01T01:30:00-04:001 2026-11-02T01:30:00-05:00" },
    { "*/30 1 * * *", "'timezone':'America/New_York','from':'2026-10-31T12:00','count':5",
      "2026-11-01T01:00:00-04:001 2026-11-01T01:30:00-04:001 2026-11-01T01:00:00-05:002 "
      "2026-11-01T01:30:00-05:002 2026-11-02T01:00:00-05:00" },
    { "30 1 * * *", "'timezone':'America/New_York','from':'2026-11-01T05:45Z'",
      "2026-11-02T01:30:00-05:00" },
    { "0 1 * * *", "'timezone':'America/New_York','from':'2026-11-01T01:30'",
      "2026-11-02T01:00:00-05:00" },

    /* others */
    { "15 2 * * *", "'timezone':'Australia/Lord_Howe','from':'2026-10-03T12:00','dst':'shift'",
      "2026-10-04T02:45:00+11:00d" },
    { "0 12 * * *", "'timezone':'Pacific/Apia','from':'2011-12-29T12:00','count':2",
      "2011-12-31T00:00:00+14:00d 2011-12-31T12:00:00+14:00" },
    { "0 0 * * *", "'timezone':'America/Sao_Paulo','from':'2018-11-03T12:00'",
      "2018-11-04T01:00:00-02:00d" },
    { "30 23 * * *", "'timezone':'America/Sao_Paulo','from':'2018-02-17T12:00','count':2",
      "2018-02-17T23:30:00-02:001 2018-02-18T23:30:00-03:00" },
};

static void add_note(struct buf *out, const char *note)
{
    static const char *const codes[][2] = { { "dst_gap", "d" },
                                            { "dst_overlap_first", "1" },
                                            { "dst_overlap_second", "2" } };
    for (size_t i = 0; note && i < countof(codes); i++)
        if (strcmp(note, codes[i][0]) == 0)
            buf_add_str(out, codes[i][1]);
}

static void check_runs(void **state)
{
    const struct time_row *row = *state;
    scoped(mem_free) char *more =
        str_format("%s%s", row->more, strstr(row->more, "'count'") ? "" : ",'count':1");
    scoped(json_free) cJSON *result = explained(row->name, more);
    scoped(buf_free) struct buf runs = BUF(4096);
    const cJSON *run;
    cJSON_ArrayForEach(run, json_get(result, "runs")) {
        buf_format(&runs, "%s%s", runs.size > 0 ? " " : "", json_text(run, "/local"));
        add_note(&runs, json_text(run, "/note"));
    }
    assert_string_equal(buf_str(&runs), row->want);
}

static const struct warning_row {
    const char *name; /* the expression */
    const char *more;
    const char *want;
} warning_rows[] = {
    { "0 9 * * 1-5", "", "" },
    { "0 0 13 * 5", "", "dom_dow_or" },
    { "0 0 13 * +5", "", "nonstandard" },
    { "0 0 */2 * 5", "", "dom_dow_or star_step" },
    { "*/7 * * * *", "", "uneven_step" },
    { "0 0 * * */2", "", "uneven_step" },
    { "*/60 * * * *", "", "step_covers_field" },
    { "0 0 30 * *", "", "short_month" },
    { "0 0 30 1,3 *", "", "" },
    { "0 0 29 2 *", "", "short_month" },
    { "0 0 31 2 *", "", "short_month never_runs" },
    { "* 9 * * *", "", "every_minute_of_hour" },
    { "* 9-10 * * *", "", "" },
    { "0 0 1 1 * 2020", "", "never_runs year_past nonstandard" },
    { "0 0 0 * * *", "", "seconds_field" },
    { "@every_second", "", "seconds_field" },
    { "0 0 L * *", "", "nonstandard" },
    { "0 0 ? * *", "", "nonstandard" },
    { "0 0 * * L", "", "nonstandard" },
    { "30 2 * * *", "'timezone':'America/New_York','from':'2026-03-07T12:00'", "dst_affected" },
    { "@reboot", "", "" },
    { "@every 7m", "", "" },
    { "0 0 20-L * *", "", "nonstandard" },

    /* within a year */
    { "30 2 * * *", "'timezone':'America/New_York','from':'2026-04-01T12:00'", "dst_affected" },
    { "30 1 * * *", "'timezone':'America/New_York','from':'2026-04-01T12:00'", "dst_affected" },
    { "30 4 * * *", "'timezone':'America/New_York','from':'2026-04-01T12:00'", "" },
    { "30 2 15 6 *", "'timezone':'America/New_York','from':'2026-04-01T12:00'", "" },
    { "*/30 * * * *", "'timezone':'America/New_York','from':'2026-04-01T12:00'", "" },
    { "30 2 * * *", "'timezone':'Asia/Kolkata','from':'2026-04-01T12:00'", "" },
    { "30 2 * * *", "'timezone':'America/New_York','from':'2026-04-01','dst':'skip'",
      "dst_affected" },

    /* Quartz */
    { "0 0 12 ? * 2-6", "", "seconds_field nonstandard quartz_weekdays" },
    { "0 0 12 ? * 2#1 2030", "", "seconds_field nonstandard quartz_weekdays" },
    { "0 12 ? * 2 *", "", "nonstandard quartz_weekdays" },
    { "0 0 12 ? * MON-FRI", "", "seconds_field nonstandard" },
    { "0 0 12 ? * MON#2", "", "seconds_field nonstandard" },
    { "0 0 12 1 * ?", "", "seconds_field nonstandard" },
    { "0 0 12 ? * 2-6", "'weekday_numbering':'sunday1'", "seconds_field nonstandard" },
    { "cron(0 12 ? * 2-6 *)", "", "nonstandard" },
    { "0 12 ? * 2", "", "nonstandard" },

    /* the nth weekday */
    { "0 9 1-7 * 1", "", "dom_dow_or nth_weekday_meant" },
    { "0 9 22-28 * FRI", "", "dom_dow_or nth_weekday_meant" },
    { "0 9 25-31 * 5", "", "dom_dow_or nth_weekday_meant" },
    { "0 9 1-6 * 1", "", "dom_dow_or" },
    { "0 9 2-8 * 1", "", "dom_dow_or" },
    { "0 9 1-7 * 1,2", "", "dom_dow_or" },
    { "0 9 1-7 * +1", "", "nonstandard" },
};

static void check_warnings(void **state)
{
    const struct warning_row *row = *state;
    scoped(json_free) cJSON *result =
        explained(row->name, *row->more ? row->more : "'from':'2026-01-01'");
    scoped(buf_free) struct buf codes = BUF(4096);
    const cJSON *warning;
    cJSON_ArrayForEach(warning, json_get(result, "warnings"))
        buf_format(&codes, "%s%s", codes.size > 0 ? " " : "", json_text(warning, "/code"));
    assert_string_equal(buf_str(&codes), row->want);
}

static const struct result_row {
    const char *name; /* the expression */
    const char *more;
    const char *pointer;
    const char *want; /* as JSON, in single quotes */
} result_rows[] = {
    { "0 9 1-7 * 1", "'from':'2026-01-01'", "/warnings/1/suggestion", "'0 9 * * 1#1'" },
    { "0 9 8-14 * MON", "'from':'2026-01-01'", "/warnings/1/suggestion", "'0 9 * * MON#2'" },
    { "0 9 25-31 * 5", "'from':'2026-01-01'", "/warnings/1/suggestion", "'0 9 * * 5L'" },
    { "* 9 * * *", "", "/warnings/0/suggestion", "'0 9 * * *'" },
    { "0 9 * * 1", "'from':'2026-01-05T09:00','previous':2", "/previous_runs",
      "['2025-12-29T09:00:00.000Z','2025-12-22T09:00:00.000Z']" },
    { "0 9 * * 1", "'from':'2026-01-05T09:00:00.001','previous':1", "/previous_runs",
      "['2026-01-05T09:00:00.000Z']" },
    { "0 0 29 2 *", "'from':'2026-01-01','previous':2", "/previous_runs",
      "['2024-02-29T00:00:00.000Z','2020-02-29T00:00:00.000Z']" },
    { "* * * * * * 1970", "'from':'2026-01-01','previous':1", "/previous_runs",
      "['1970-12-31T23:59:59.000Z']" },
    { "0 0 1 1 * 1970", "'from':'2026-01-01','previous':2", "/previous_runs",
      "['1970-01-01T00:00:00.000Z']" },
    { "0 0 1 1 * 2030", "'from':'2026-01-01','previous':2", "/previous_runs", "[]" },
    { "@every 1h", "'previous':2", "/previous_runs", "[]" },
    { "30 2 * * *", "'timezone':'America/New_York','from':'2026-03-08T12:00','previous':2",
      "/previous_runs", "['2026-03-08T07:00:00.000Z','2026-03-07T07:30:00.000Z']" },
    { "30 1 * * *", "'timezone':'America/New_York','from':'2026-11-01T12:00','previous':2",
      "/previous_runs", "['2026-11-01T05:30:00.000Z','2026-10-31T05:30:00.000Z']" },
    { "30 2 * * *", "'timezone':'America/New_York','from':'2026-04-01'", "/next_dst_change",
      "'2027-03-14T07:00:00.000Z'" },
    { "30 1 * * *", "'timezone':'America/New_York','from':'2026-04-01'", "/next_dst_change",
      "'2026-11-01T05:30:00.000Z'" },
    { "0 0 20-L/2 * *", "", "/normalized", "'0 0 20-L/2 * *'" },
    { "0 0 WL,W3 * *", "", "/normalized", "'0 0 LW,3W * *'" },
    { "cron(0 10 ? * 2-6 *)", "", "/normalized", "'0 0 10 * * 1-5 *'" },
    { "rate(5 minutes)", "", "/normalized", "'@every 300s'" },
    { " 0 0\\t* * MON ", "", "/expression", "' 0 0\\t* * MON '" },
    { "0 0 ? JAN sun", "", "/normalized", "'0 0 * 1 0'" },
    { "0/5 0-4/1 1/2 2/3 7-2", "", "/normalized", "'*/5 0-4 */2 2-12/3 0-2'" },
    { "0 0 l-3w * ?", "", "/normalized", "'0 0 L-3W * *'" },
    { "0 0 1 1 ? *", "", "/normalized", "'0 0 0 1 1 * *'" },
    { "@weekly", "", "/normalized", "'0 0 * * 0'" },
    { "@every 1h", "", "/normalized", "'@every 3600s'" },
    { "0 0 * * *", "", "/format", "'standard'" },
    { "0 0 0 * * *", "", "/format", "'seconds'" },
    { "0 0 * * * 2030", "", "/format", "'year'" },
    { "0 0 ? * * *", "", "/format", "'year'" },
    { "0 0 0 * * * 2030", "", "/format", "'seconds_year'" },
    { "@daily", "", "/format", "'macro'" },
    { "@daily", "", "/timezone", "'UTC'" },
    { "TZ=europe/paris @daily", "", "/timezone", "'Europe/Paris'" },
    { "@daily", "'from':'2026-01-01T00:00:00.5+01:00'", "/from", "'2025-12-31T23:00:00.500Z'" },
    { "@daily", "'from':'2026-01-01','tz':'-05:00'", "/from", "'2026-01-01T05:00:00.000Z'" },
    { "@reboot", "", "/next_runs", "[]" },
    { "@reboot", "", "/never", "false" },
    { "@reboot", "", "/fields", "null" },
    { "0 0 30 2 *", "", "/next_runs", "[]" },
    { "0 0 30 2 *", "", "/never", "true" },
    { "0 0 30 2 *", "", "/runs_per_day", "0" },
    { "30 2 * 3 SUN#2", "'timezone':'America/New_York','dst':'skip'", "/never", "true" },
    { "*/15 * * * *", "", "/interval_seconds", "900" },
    { "*/15 * * * *", "", "/runs_per_day", "96" },
    { "0 9 * * 1-5", "", "/interval_seconds", "null" },
    { "0 9 * * 1", "", "/interval_seconds", "604800" },
    { "@every 90s", "", "/interval_seconds", "90" },
    { "@every 90s", "", "/runs_per_day", "960" },
    { "5 9 * * *", "", "/fields/minute",
      "{'raw':'5','description':'at 5 minutes past the hour','values':[5]}" },
    { "5 9 * * *", "", "/fields/second",
      "{'raw':null,'description':'at 0 seconds past the minute','values':[0]}" },
    { "5 9 * * *", "", "/fields/year", "{'raw':null,'description':'every year','values':null}" },
    { "5 9 L * FRI-SUN", "", "/fields/day_of_month",
      "{'raw':'L','description':'on the last day of the month','values':null}" },
    { "5 9 * * FRI-SUN", "", "/fields/day_of_week",
      "{'raw':'FRI-SUN','description':'Friday through Sunday','values':[0,5,6]}" },
};

static void check_result(void **state)
{
    const struct result_row *row = *state;
    scoped(json_free) cJSON *result = explained(row->name, row->more);
    scoped(buf_free) struct buf got = BUF(4096);
    scoped(buf_free) struct buf want = BUF(4096);
    json_print(json_at(result, row->pointer), &got);
    add_quoted(&want, row->want);
    assert_string_equal(buf_str(&got), buf_str(&want));
}

/* The longest expressions with the maximum number of runs. */
static void longest_expressions(void **state)
{
    (void)state;
    scoped(buf_free) struct buf expression = BUF(512);
    buf_add_str(&expression, "0");
    for (int i = 1; expression.size < 240; i++)
        buf_format(&expression, ",%d", i % 10);
    buf_add_str(&expression, " * * * *");
    scoped(json_free) cJSON *result = explained(buf_str(&expression), "'count':100");
    assert_string_equal(json_text(result, "/description"),
                        "At 0, 1, 2, 3, 4, 5, 6, 7, 8, and 9 minutes past the hour");
    assert_non_null(json_at(result, "/next_runs/99"));
    assert_null(json_at(result, "/next_runs/100"));
}

int main(void)
{
    const struct CMUnitTest singles[] = { cmocka_unit_test(longest_expressions) };
    return RUN_ROWS(wording_rows, check_wording) + RUN_ROWS(refusal_rows, check_refusal) +
           RUN_ROWS(time_rows, check_runs) + RUN_ROWS(warning_rows, check_warnings) +
           RUN_ROWS(result_rows, check_result) + cmocka_run_group_tests(singles, NULL, NULL);
}
