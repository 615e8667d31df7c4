/* tests/unit/text/time/datetime.c - calendar and ISO 8601. */
#include "text/time/datetime.h"

#include <stdio.h>
#include <string.h>

#include "rows.h"

static const struct day_row {
    const char *name;
    struct date date;
    int64_t days;
    int weekday;
} day_rows[] = {
    { "the first day", { 1970, 1, 1 }, 0, 4 },
    { "the day before", { 1969, 12, 31 }, -1, 3 },
    { "a leap day", { 2000, 2, 29 }, 11016, 2 },
    { "no leap year", { 1900, 3, 1 }, -25508, 4 },
    { "before a leap day", { 2024, 2, 28 }, 19781, 3 },
    { "the last", { 9999, 12, 31 }, 2932896, 5 },
    { "year 0 is a leap year", { 0, 2, 29 }, -719469, 2 },
    { "year -1", { -1, 12, 31 }, -719529, 5 },
};

static void check_day(void **state)
{
    const struct day_row *row = *state;
    struct date date = date_of_days(row->days);
    assert_int_equal(date_to_days(row->date), row->days);
    assert_memory_equal(&date, &row->date, sizeof(date));
    assert_int_equal(date_weekday(row->days), row->weekday);
}

/* Every day of a cycle of 400 years follows the one before. */
static void days_follow_each_other(void **state)
{
    (void)state;
    struct date date = { 1890, 1, 1 };
    for (int64_t days = date_to_days(date); date.year < 2290; days++) {
        struct date again = date_of_days(days);
        assert_memory_equal(&again, &date, sizeof(date));
        assert_int_equal(date_to_days(date), days);
        if (++date.day > date_month_days(date.year, date.month)) {
            date.day = 1;
            date.month++;
        }
        if (date.month > 12) {
            date.month = 1;
            date.year++;
        }
    }
}

static const struct text_row {
    const char *name;
    const char *text;
    int64_t local_ms; /* -1: rejected */
    int offset_s;     /* 1: none given */
} text_rows[] = {
    { "a date", "1970-01-02", 86400000, 1 },
    { "minutes", "1970-01-01T00:01", 60000, 1 },
    { "a blank", "1970-01-01 00:00:01", 1000, 1 },
    { "UTC", "1970-01-01T00:00:01Z", 1000, 0 },
    { "small letters", "1970-01-01t00:00:01z", 1000, 0 },
    { "an offset east", "1970-01-01T00:00+05:30", 0, 19800 },
    { "an offset west", "1970-01-01T00:00:00-05:00", 0, -18000 },
    { "milliseconds", "1970-01-01T00:00:00.25Z", 250, 0 },
    { "a comma", "1970-01-01T00:00:00,007", 7, 1 },
    { "nanoseconds are cut", "1970-01-01T00:00:00.123999999Z", 123, 0 },
    { "a leap day", "2024-02-29", 1709164800000, 1 },
    { "nothing", "", -1, 0 },
    { "no leap day", "2023-02-29", -1, 0 },
    { "month 0", "2023-00-01", -1, 0 },
    { "month 13", "2023-13-01", -1, 0 },
    { "day 0", "2023-01-00", -1, 0 },
    { "a short year", "203-01-01", -1, 0 },
    { "hour 24", "2023-01-01T24:00", -1, 0 },
    { "minute 60", "2023-01-01T00:60", -1, 0 },
    { "a leap second", "2016-12-31T23:59:60Z", -1, 0 },
    { "an hour alone", "2023-01-01T00", -1, 0 },
    { "nothing behind T", "2023-01-01T", -1, 0 },
    { "no digit in the fraction", "2023-01-01T00:00:00.Z", -1, 0 },
    { "an offset behind a date", "2023-01-01+01:00", -1, 0 },
    { "an offset without colon", "2023-01-01T00:00+0100", -1, 0 },
    { "hour 24 as offset", "2023-01-01T00:00+24:00", -1, 0 },
    { "something behind", "2023-01-01T00:00Z ", -1, 0 },
    { "a sign", "+2023-01-01", -1, 0 },
};

static void check_text(void **state)
{
    const struct text_row *row = *state;
    struct datetime datetime = { 0 };
    assert_int_equal(datetime_parse(text_of(row->text), &datetime), row->local_ms != -1);
    if (row->local_ms == -1)
        return;
    assert_int_equal(datetime.local_ms, row->local_ms);
    assert_int_equal(datetime.has_offset, row->offset_s != 1);
    assert_int_equal(datetime.offset_s, row->offset_s == 1 ? 0 : row->offset_s);
}

static const struct format_row {
    const char *name;
    int64_t local_s;
    int32_t offset_s;
    const char *want;
} format_rows[] = {
    { "UTC", 1700000000, 0, "2023-11-14T22:13:20+00:00" },
    { "west of it", 1700000000, -12600, "2023-11-14T22:13:20-03:30" },
    { "an offset with seconds", 0, 1172, "1970-01-01T00:00:00+00:19" },
    { "before 1970", -1, 3600, "1969-12-31T23:59:59+01:00" },
};

static void check_format(void **state)
{
    const struct format_row *row = *state;
    scoped(buf_free) struct buf out = BUF(64);
    datetime_format(&out, row->local_s, row->offset_s);
    assert_string_equal(buf_str(&out), row->want);
}

int main(void)
{
    const struct CMUnitTest singles[] = { cmocka_unit_test(days_follow_each_other) };
    return RUN_ROWS(day_rows, check_day) + RUN_ROWS(text_rows, check_text) +
           RUN_ROWS(format_rows, check_format) + cmocka_run_group_tests(singles, NULL, NULL);
}
