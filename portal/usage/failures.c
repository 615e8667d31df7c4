/* portal/usage/failures.c - see failures.h. */
#include "portal/usage/failures.h"

#include "base/err.h"
#include "portal/base/numbers.h"

enum { SHOWN_MAX = 50 };

static const char failures_sql[] =
    "select coalesce(t.name, 'unknown') as tool, d.code, sum(d.calls)::bigint as calls,"
    "       sum(sum(d.calls)) over ()::bigint as in_all"
    "  from request_day d left join tool t using (tool_id)"
    " where d.account_id = $1 and d.day >= $2::date and d.day <= $3::date and d.tool_id > 0"
    "   and d.code <> ''"
    "   and ($4 = '' or d.tool_id = (select tool_id from tool where name = $4))"
    " group by t.name, d.code order by 3 desc, 1, 2 limit 51";

bool failures_add(struct sql *sql, const struct usage_filter *filter, cJSON *model, struct err *err)
{
    scoped(json_free) cJSON *rows = json_array();
    const cJSON *row;
    if (*filter->token)
        return true;
    if (!sql_rows(sql, failures_sql,
                  SQL_PARAMS(filter->account, filter->from, filter->to, filter->tool), rows, err))
        return false;
    json_bool(model, "has_failures", json_size(rows) > 0);
    if (json_size(rows) == 0)
        return true;
    int64_t failed = json_integer(json_at(rows, "/0"), "in_all");
    cJSON *total = json_map(model, "failed");
    number_add(total, "calls", failed);
    json_str(total, "calls_noun", noun_of(failed, "call", "calls"));
    json_cut(rows, SHOWN_MAX);
    cJSON *list = json_list(model, "failures");
    cJSON_ArrayForEach(row, rows) {
        cJSON *item = json_item(list);
        json_str(item, "tool", json_text(row, "/tool"));
        json_str(item, "code", json_text(row, "/code"));
        json_bool(item, "is_explained", err_of_code(json_text(row, "/code")) != ERR_NONE);
        number_add(item, "calls", json_integer(row, "calls"));
    }
    return true;
}
