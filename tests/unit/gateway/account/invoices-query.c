/* tests/unit/gateway/account/invoices-query.c - queries of invoices, and what they select. */
#include "gateway/account/invoices-query.h"

#include <string.h>

#include "rows.h"

enum { DAY_S = 86400, FROM_S = 1774828800 /* 2026-03-30 */ };

static const struct row {
    const char *name;
    const char *query;
    const char *wrong; /* a part of the message; NULL: accepted */
    int64_t from_ms;
    int64_t to_ms;
    int64_t limit;
    int64_t before;
} rows[] = {
    { "nothing", "", NULL, -1, -1, 50, INT64_MAX },
    { "everything", "from=2026-03-30&to=2026-03-31&limit=7&cursor=12", NULL, INT64_C(1000) * FROM_S,
      INT64_C(1000) * (FROM_S + DAY_S), 7, 12 },
    { "a time with an offset", "from=2026-03-30T02%3A00%3A00%2B02:00", NULL, INT64_C(1000) * FROM_S,
      -1, 50, INT64_MAX },
    { "only an end", "to=2026-03-30", NULL, -1, INT64_C(1000) * FROM_S, 50, INT64_MAX },
    { "the most", "limit=200", NULL, -1, -1, 200, INT64_MAX },
    { "backwards", "from=2026-03-31&to=2026-03-30", "to must be after from" },
    { "the same", "from=2026-03-30&to=2026-03-30", "to must be after from" },
    { "a time without an offset", "from=2026-03-30T01:00:00", "from must" },
    { "no day", "to=2026-02-30", "to must" },
    { "no document", "limit=0", "limit must" },
    { "201 a page", "limit=201", "limit must" },
    { "a cursor of 0", "cursor=0", "cursor must" },
    { "a cursor that is not a number", "cursor=1x", "cursor must" },
    { "a cursor beyond numbers", "cursor=9223372036854775807", "cursor must" },
    { "an empty cursor", "cursor=", "cursor must" },
    { "twice", "limit=1&limit=1", "limit is there twice" },
    { "of another endpoint", "status=failed", "unknown query parameter" },
    { "bad percent-encoding", "limit=%4", "limit must" },
};

static void check(void **state)
{
    const struct row *row = *state;
    struct invoices_question question = { 0 };
    struct err err = { 0 };
    bool ok = invoices_read(text_of(row->query), &question, &err);
    assert_int_equal(ok, !row->wrong);
    if (!ok) {
        assert_int_equal(err.kind, ERR_INVALID_QUERY);
        assert_non_null(strstr(err.message, row->wrong));
        return;
    }
    assert_int_equal(question.from_ms, row->from_ms);
    assert_int_equal(question.to_ms, row->to_ms);
    assert_int_equal(question.limit, row->limit);
    assert_int_equal(question.before, row->before);
}

int main(void)
{
    return RUN_ROWS(rows, check);
}
