/* tests/unit/gateway/account/usage-query.c - queries, and what they select. */
#include "gateway/account/usage-query.h"

#include <string.h>

#include "rows.h"

enum { NOW_S = 1774958400 /* 2026-03-31 12:00 UTC */, DAY_S = 86400 };

#define MIDNIGHT (NOW_S / DAY_S * DAY_S)
#define TOKEN    "01890a5d-ac96-774b-bcce-b302099a8057"

static const struct row {
    const char *name;
    const char *query;
    const char *wrong; /* a part of the message; NULL: accepted */
    int64_t from_s;
    int64_t to_s;
    enum usage_by by;
    int64_t limit;
    int64_t kind;
    int64_t before;
    const char *tool;
} rows[] = {
    { "nothing", "", NULL, MIDNIGHT - 29 * DAY_S, MIDNIGHT + DAY_S, USAGE_ENTRIES, 50, 0,
      INT64_MAX },
    { "dates", "from=2026-03-30&to=2026-03-31", NULL, MIDNIGHT - DAY_S, MIDNIGHT, USAGE_ENTRIES, 50,
      0, INT64_MAX },
    { "times", "from=2026-03-31T01:00:00Z&to=2026-03-31T02%3a30:00%2B01:00", NULL, MIDNIGHT + 3600,
      MIDNIGHT + 5400, USAGE_ENTRIES, 50, 0, INT64_MAX },
    { "a plus as it is", "to=2026-03-31T02:30+01:00", NULL, MIDNIGHT + 5400 - 30 * DAY_S,
      MIDNIGHT + 5400, USAGE_ENTRIES, 50, 0, INT64_MAX },
    { "a page", "limit=200&cursor=7&kind=refund&tool=b", NULL, MIDNIGHT - 29 * DAY_S,
      MIDNIGHT + DAY_S, USAGE_ENTRIES, 200, 4, 7, "b" },
    { "sums", "group_by=token&token=" TOKEN, NULL, MIDNIGHT - 29 * DAY_S, MIDNIGHT + DAY_S,
      USAGE_BY_TOKEN, 50, 0, INT64_MAX },
    { "the longest", "from=2025-12-30", NULL, MIDNIGHT - 91 * DAY_S, MIDNIGHT + DAY_S,
      USAGE_ENTRIES, 50, 0, INT64_MAX },
    { "a day too long", "from=2025-12-29", "at most 92 days" },
    { "backwards", "from=2026-03-31&to=2026-03-30", "after from" },
    { "nothing between", "from=2026-03-31&to=2026-03-31", "after from" },
    { "a time without its offset", "from=2026-03-31T01:00:00", "from must be a date" },
    { "before 1970", "from=1969-12-31&to=1970-01-02", "from must be a date" },
    { "sums of an hour", "group_by=day&from=2026-03-31T01:00Z", "must be whole days" },
    { "sums with a limit", "group_by=day&limit=5", "limit cannot be combined" },
    { "sums with a kind", "kind=usage&group_by=day", "kind cannot be combined" },
    { "sums with a cursor", "cursor=5&group_by=day", "cursor cannot be combined" },
    { "sums by hour", "group_by=hour", "group_by must be" },
    { "no limit", "limit=0", "limit must be" },
    { "too much", "limit=201", "limit must be" },
    { "a limit with a sign", "limit=-1", "limit must be" },
    { "no cursor", "cursor=", "cursor must be" },
    { "a cursor beyond numbers", "cursor=9223372036854775807", "cursor must be" },
    { "an unknown kind", "kind=gift", "kind must be" },
    { "an unknown tool", "tool=c", "tool must be" },
    { "an invalid token", "token=tg_live_abc", "token must be" },
    { "twice", "limit=1&limit=1", "limit is there twice" },
    { "unknown", "tg_live_abc=1", "unknown query parameter" },
    { "a bad escape", "tool=%6", "tool must be" },
    { "a NUL", "tool=b%00", "tool must be" },
};

static void check(void **state)
{
    const struct row *row = *state;
    struct offer offers[] = { { .name = "a" }, { .name = "b" } };
    struct catalog catalog = { .count = countof(offers), .offers = offers };
    struct usage_question question;
    struct err err = { 0 };
    bool ok = usage_read(text_of(row->query), (int64_t)NOW_S * 1000, &catalog, &question, &err);
    if (row->wrong) {
        assert_false(ok);
        assert_int_equal(err.kind, ERR_INVALID_QUERY);
        if (!strstr(err.message, row->wrong) || strstr(err.message, "tg_live"))
            fail_msg("%s", err.message);
        return;
    }
    assert_true(ok);
    assert_int_equal(question.from_ms, row->from_s * 1000);
    assert_int_equal(question.to_ms, row->to_s * 1000);
    assert_int_equal(question.by, row->by);
    assert_int_equal(question.limit, row->limit);
    assert_int_equal(question.kind, row->kind);
    assert_int_equal(question.before, row->before);
    assert_int_equal(question.tool != NULL, row->tool != NULL);
    if (row->tool && question.tool)
        assert_string_equal(question.tool->name, row->tool);
    assert_string_equal(question.token, strstr(row->query, "token=") ? TOKEN : "");
}

static void kinds_have_names(void **state)
{
    (void)state;
    assert_null(usage_kind_name(0));
    assert_string_equal(usage_kind_name(3), "usage");
    assert_string_equal(usage_kind_name(7), "reversal_undone");
    assert_null(usage_kind_name(8));
    assert_null(usage_kind_name(-1));
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(kinds_have_names) };
    return cmocka_run_group_tests(tests, NULL, NULL) + RUN_ROWS(rows, check);
}
