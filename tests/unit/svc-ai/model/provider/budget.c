/* tests/unit/svc-ai/model/provider/budget.c - the cost of a UTC day. */
#include "model/provider/budget.h"

#include <string.h>

#include "admin/metrics.h"
#include "rows.h"

#define DAY_MS  INT64_C(86400000)
#define NOON_MS (20000 * DAY_MS + DAY_MS / 2)

static const struct row {
    const char *name;
    int64_t added[3]; /* at noon, an hour later, and a second before midnight */
    int64_t asked_ms; /* after the last noon */
    bool is_spent;    /* of a limit of 100 */
} rows[] = {
    { "nothing", { 0, 0, 0 }, 0, false },
    { "less", { 50, 40, 9 }, 0, false },
    { "exactly", { 50, 40, 10 }, 0, true },
    { "more", { 500, 0, 0 }, 0, true },
    { "still on this day", { 100, 0, 0 }, DAY_MS / 2 - 1, true },
    { "not on the next day", { 100, 100, 100 }, DAY_MS / 2, false },
    { "a clock that went back", { 100, 0, 0 }, -DAY_MS, true },
};

static void check(void **state)
{
    const struct row *row = *state;
    static const int64_t times[] = { 0, 3600000, DAY_MS / 2 - 1000 };
    struct budget *budget = budget_new();
    bool is_first;
    for (size_t i = 0; i < countof(times); i++)
        budget_add(budget, row->added[i], NOON_MS + times[i]);
    assert_int_equal(budget_is_spent(budget, 100, NOON_MS + row->asked_ms, &is_first),
                     row->is_spent);
    assert_int_equal(is_first, row->is_spent);
    assert_int_equal(budget_is_spent(budget, 100, NOON_MS + row->asked_ms, &is_first),
                     row->is_spent);
    assert_false(is_first);
    budget_drop(&budget);
}

static void its_metrics_follow_the_day(void **state)
{
    struct metrics *metrics = metrics_new("1", "test");
    struct budget *budget = budget_new();
    struct budget *same = budget_hold(budget);
    scoped(buf_free) struct buf text = BUF(1 << 16);
    bool is_first;
    (void)state;
    budget_count(budget, "p", "EUR", 100, metrics);
    budget_add(same, 70, NOON_MS);
    budget_drop(&same);
    metrics_write(metrics, &text);
    assert_non_null(strstr(buf_str(&text),
                           "tollgate_model_budget_micros{provider=\"p\",currency=\"EUR\"} 100\n"));
    assert_non_null(
        strstr(buf_str(&text),
               "tollgate_model_budget_spent_micros{provider=\"p\",currency=\"EUR\"} 70\n"));
    assert_non_null(strstr(buf_str(&text), "tollgate_model_budget_end_timestamp_seconds{provider="
                                           "\"p\",currency=\"EUR\"} 1728086400\n"));
    assert_false(budget_is_spent(budget, 100, NOON_MS + DAY_MS, &is_first));
    buf_clear(&text);
    metrics_write(metrics, &text);
    assert_non_null(strstr(
        buf_str(&text), "tollgate_model_budget_spent_micros{provider=\"p\",currency=\"EUR\"} 0\n"));
    budget_drop(&budget);
    metrics_free(&metrics);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(its_metrics_follow_the_day) };
    return RUN_ROWS(rows, check) + cmocka_run_group_tests(tests, NULL, NULL);
}
