/* tests/unit/portal/base/times.c - days and points in time, as pages show them. */
#include "portal/base/times.h"

#include <string.h>

#include "rows.h"
#include "text/json.h"

static const struct day_row {
    const char *name; /* the text */
    int64_t want;     /* below 0: rejected */
} days[] = {
    { "1970-01-01", 0 },       { "1970-01-02", 1 },
    { "2026-11-23", 20780 },   { "2024-02-29", 19782 },
    { "2026-02-29", -1 },      { "2026-13-01", -1 },
    { "1969-12-31", -1 },      { "", -1 },
    { "2026-1-1", -1 },        { "2026-11-23T10", -1 },
    { "20261123", -1 },        { "2026/11/23", -1 },
    { "2026-11-23 ", -1 },     { "９026-11-23", -1 },
    { "9999-12-31", 2932896 },
};

static void check_day(void **state)
{
    const struct day_row *row = *state;
    int64_t day = -1;
    char written[DAY_BYTES];
    assert_int_equal(day_parse(text_of(row->name), &day), row->want >= 0);
    if (row->want < 0)
        return;
    assert_int_equal(day, row->want);
    day_write(day, written);
    assert_string_equal(written, row->name);
}

static const struct time_row {
    const char *name; /* as the database gives it */
    const char *iso;
    const char *shown;
} times[] = {
    { "2026-11-23T14:02:11.512Z", "2026-11-23T14:02:11.512Z", "2026-11-23 14:02:11" },
    { "2026-11-23T14:02:11Z", "2026-11-23T14:02:11Z", "2026-11-23 14:02:11" },
};

static void check_time(void **state)
{
    const struct time_row *row = *state;
    scoped(json_free) cJSON *model = json_object();
    time_add(model, "time", row->name);
    assert_string_equal(json_text(model, "/time/iso"), row->iso);
    assert_string_equal(json_text(model, "/time/shown"), row->shown);
}

static void no_time_is_nothing(void **state)
{
    (void)state;
    scoped(json_free) cJSON *model = json_object();
    time_add(model, "time", NULL);
    assert_null(json_get(model, "time"));
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(no_time_is_nothing) };
    return cmocka_run_group_tests(tests, NULL, NULL) + RUN_ROWS(days, check_day) +
           RUN_ROWS(times, check_time);
}
