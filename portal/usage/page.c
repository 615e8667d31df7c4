/* portal/usage/page.c - see page.h. */
#include "portal/usage/page.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/mem.h"
#include "base/num.h"
#include "portal/usage/calls.h"
#include "text/json.h"

enum { NUMBER_TEXT_BYTES = 24 };

static const char columns[] =
    "e.seq, e.kind, e.amount, e.balance_after, e.reference, e.at, e.note, t.name as tool,"
    " " TOKEN_CALLED " as token";

const char entry_tables[] =
    " left join tool t on t.tool_id = e.tool_id"
    " left join token k on k.account_id = e.account_id and k.token_id = e.token_id";

const char entry_where[] =
    " and e.kind in (3, 4)"
    " and e.at >= $4::date::timestamp at time zone 'UTC'"
    " and e.at < ($5::date + 1)::timestamp at time zone 'UTC'"
    " and ($6 = '' or e.tool_id = (select tool_id from tool where name = $6))"
    " and case $7 when '' then true"
    "             when 'playground' then e.token_id in (select token_id from token"
    "                                                    where account_id = $1 and kind = 2)"
    "             else e.token_id = nullif(nullif($7, ''), 'playground')::uuid end";

static int64_t seq_of(const cJSON *row)
{
    return (int64_t)json_get(row, "seq")->valuedouble;
}

/* The joins are only for the page's entries, not for all that were searched. */
static bool query_entries(struct sql *sql, const char *account, const struct usage_filter *filter,
                          struct span look, cJSON *rows, struct err *err)
{
    char before[NUMBER_TEXT_BYTES];
    char first[NUMBER_TEXT_BYTES];
    scoped(mem_free) char *statement =
        str_format("select %s from (select e.* from ledger_entry e"
                   "  where e.account_id = $1 and e.seq < $2 and e.seq >= $3%s"
                   "  order by e.seq desc limit %d) e%s order by e.seq desc",
                   columns, filter ? entry_where : "", ENTRIES_A_PAGE + 1, entry_tables);
    snprintf(before, sizeof(before), "%" PRId64, look.before);
    snprintf(first, sizeof(first), "%" PRId64, look.first);
    struct sql_params params = { 3, { account, before, first } };
    if (filter)
        params = SQL_PARAMS(account, before, first, filter->from, filter->to, filter->tool,
                            filter->token);
    return sql_rows(sql, statement, params, rows, err);
}

bool entries_page(struct sql *sql, const char *account, const struct usage_filter *filter,
                  struct span span, cJSON *list, int64_t *older, struct err *err)
{
    scoped(json_free) cJSON *rows = json_array();
    struct span look = span;
    const cJSON *row;
    if (look.before - look.first > ENTRIES_LOOKED_THROUGH)
        look.first = look.before - ENTRIES_LOOKED_THROUGH;
    if (!query_entries(sql, account, filter, look, rows, err))
        return false;
    bool has_more = json_cut(rows, ENTRIES_A_PAGE);
    int64_t last = 0;
    cJSON_ArrayForEach(row, rows) {
        entry_add(row, list);
        last = seq_of(row);
    }
    *older = has_more ? last : look.first > MAX(span.first, 1) ? look.first : 0;
    return true;
}
