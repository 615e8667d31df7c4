/* tests/unit/gateway/account/requests-query.c - queries of the request log, and what they select.
 */
#include "gateway/account/requests-query.h"

#include <string.h>

#include "rows.h"

enum { NOW_S = 1774958400 /* 2026-03-31 12:00 UTC */, DAY_S = 86400 };

#define MIDNIGHT (NOW_S / DAY_S * DAY_S)
#define ID       "01890a5d-ac96-774b-bcce-b302099a8057"

static const struct row {
    const char *name;
    const char *query;
    const char *wrong; /* a part of the message; NULL: accepted */
    int64_t from_s;
    int64_t to_s;
    int64_t limit;
    int64_t slower_ms;
    const char *tool;
    const char *status;
    const char *token;
    const char *code;
    const char *id;
    const char *cursor;
} rows[] = {
    { "nothing", "", NULL, MIDNIGHT - 29 * DAY_S, MIDNIGHT + DAY_S, 50 },
    { "everything",
      "from=2026-03-30&to=2026-03-31&tool=b&token=" ID "&status=failed&code=missing_field"
      "&slower_ms=250&id=my%2Did&limit=7&cursor=1774958400000000." ID,
      NULL, MIDNIGHT - DAY_S, MIDNIGHT, 7, 250, "b", "failed", ID, "missing_field", "my-id",
      "1774958400000000." ID },
    { "a status class", "status=5xx", NULL, MIDNIGHT - 29 * DAY_S, MIDNIGHT + DAY_S, 50, 0, NULL,
      "5xx" },
    { "the longest", "from=2025-12-30", NULL, MIDNIGHT - 91 * DAY_S, MIDNIGHT + DAY_S, 50 },
    { "near 1970", "to=1970-01-02", NULL, 0, DAY_S, 50 },
    { "a day too long", "from=2025-12-29", "at most 92 days" },
    { "backwards", "from=2026-03-31&to=2026-03-30", "after from" },
    { "a time without an offset", "from=2026-03-31T01:00", "from must" },
    { "an unknown tool", "tool=c", "tool must" },
    { "a token's name", "token=laptop", "token must" },
    { "a status of its own", "status=404", "status must" },
    { "an empty status", "status=", "status must" },
    { "a code with a blank", "code=a%20b", "code must" },
    { "an empty id", "id=", "id must" },
    { "a NUL in an id", "id=a%00b", "id must" },
    { "not ASCII", "id=%C3%A9", "id must" },
    { "0 ms", "slower_ms=0", "slower_ms must" },
    { "a negative time", "slower_ms=-5", "slower_ms must" },
    { "201 a page", "limit=201", "limit must" },
    { "a cursor without an id", "cursor=17", "cursor must" },
    { "a cursor without a time", "cursor=." ID, "cursor must" },
    { "a cursor beyond time", "cursor=9223372036854775807." ID, "cursor must" },
    { "twice", "id=a&id=b", "id is there twice" },
    { "of another endpoint", "kind=usage", "unknown query parameter" },
    { "bad percent-encoding", "id=%4", "id must" },
};

static struct offer offers[] = { { .name = "a" }, { .name = "b" } };
static const struct catalog catalog = { .count = 2, .offers = offers };

static void check_text(const char *found, const char *wanted)
{
    assert_string_equal(found ? found : "", wanted ? wanted : "");
}

static void check(void **state)
{
    const struct row *row = *state;
    struct requests_question question = { 0 };
    struct err err = { 0 };
    bool ok = requests_read(text_of(row->query), (int64_t)NOW_S * 1000, &catalog, &question, &err);
    assert_int_equal(ok, !row->wrong);
    if (!ok) {
        assert_int_equal(err.kind, ERR_INVALID_QUERY);
        assert_non_null(strstr(err.message, row->wrong));
        return;
    }
    assert_int_equal(question.from_ms, row->from_s * 1000);
    assert_int_equal(question.to_ms, row->to_s * 1000);
    assert_int_equal(question.limit, row->limit);
    assert_int_equal(question.slower_ms, row->slower_ms);
    check_text(question.tool, row->tool);
    check_text(question.status, row->status);
    check_text(question.token, row->token);
    check_text(question.code, row->code);
    check_text(question.id, row->id);
    check_text(question.cursor, row->cursor);
}

int main(void)
{
    return RUN_ROWS(rows, check);
}
