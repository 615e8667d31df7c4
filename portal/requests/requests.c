/* portal/requests/requests.c - /portal/requests: sums by day, and a page of requests. */
#include "portal/requests/requests.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/err.h"
#include "portal/base/numbers.h"
#include "portal/base/times.h"
#include "portal/page/answer.h"
#include "portal/requests/file.h"
#include "portal/requests/select.h"
#include "portal/usage/calls.h"
#include "text/json.h"

#define PAGE_ROWS "50"

static const char today_sql[] = "select (ledger_now() at time zone 'UTC')::date::text as today";

/* The tokens for a filter; all playground tokens are one. */
static const char tokens_sql[] =
    "select k.token_id, " TOKEN_CALLED " as name from token k"
    " where k.account_id = $1 and k.kind in (1, 3, 5) order by k.token_id desc limit 200";

/* ---- sums ---- */

/* Of calls of tools. A percentile is the class of request_slow() in which it lies. */
static const char days_sql[] =
    "with class as ("
    "  select d.day, d.slow, sum(d.calls) as calls,"
    "         coalesce(sum(d.calls) filter (where d.code <> ''), 0) as failed"
    "    from request_day d"
    "   where d.account_id = $1 and d.day >= $2::date and d.day <= $3::date and d.tool_id > 0"
    "     and ($4 = '' or d.tool_id = (select tool_id from tool where name = $4))"
    "   group by d.day, d.slow"
    "), upto as ("
    "  select c.*, sum(c.calls) over (partition by c.day order by c.slow) as so_far,"
    "         sum(c.calls) over (partition by c.day) as in_all from class c"
    ")"
    "select u.day::text as day, max(u.in_all)::bigint as calls, sum(u.failed)::bigint as failed,"
    "       min(u.slow) filter (where u.so_far * 2 >= u.in_all) as half,"
    "       min(u.slow) filter (where u.so_far * 20 >= u.in_all * 19) as most"
    "  from upto u group by u.day order by u.day desc";

/* The upper ends of request_slow(). */
static const char *class_name(int64_t slow)
{
    static const char *const names[] = { "10 ms", "25 ms", "50 ms", "100 ms", "250 ms", "500 ms",
                                         "1 s",   "2.5 s", "5 s",   "10 s",   "30 s" };
    return slow >= 0 && slow < (int64_t)countof(names) ? names[slow] : "over 30 s";
}

static bool add_days(struct sql *sql, const struct request_filter *filter, cJSON *model,
                     struct err *err)
{
    scoped(json_free) cJSON *rows = json_array();
    const struct usage_filter *usage = &filter->usage;
    const cJSON *row;
    if (!sql_rows(sql, days_sql, SQL_PARAMS(usage->account, usage->from, usage->to, usage->tool),
                  rows, err))
        return false;
    cJSON *days = json_list(model, "days");
    cJSON_ArrayForEach(row, rows) {
        cJSON *day = json_item(days);
        json_str(day, "day", json_text(row, "/day"));
        number_add(day, "calls", json_integer(row, "calls"));
        number_add(day, "failed", json_integer(row, "failed"));
        json_str(day, "half", class_name(json_integer(row, "half")));
        json_str(day, "most", class_name(json_integer(row, "most")));
    }
    json_bool(model, "has_days", json_size(days) > 0);
    return true;
}

/* ---- requests ---- */

static void add_entry_link(const cJSON *row, cJSON *item)
{
    char before[24];
    if (!json_is_integer(json_get(row, "seq")))
        return;
    snprintf(before, sizeof(before), "%" PRId64, json_integer(row, "seq") + 1);
    json_str(item, "before_entry", before);
}

static void add_request(const cJSON *row, cJSON *list)
{
    cJSON *item = json_item(list);
    const char *code = json_text(row, "/code");
    const char *client = json_text(row, "/client_id");
    time_add(item, "time", json_text(row, "/at"));
    json_str(item, "tool", json_text(row, "/tool"));
    json_str(item, "route", json_text(row, "/route"));
    json_bool(item, "is_mcp", text_is(text_of(json_text(row, "/surface")), "MCP"));
    json_bool(item, "is_replayed", sql_is(row, "is_replayed"));
    json_str(item, "token", json_text(row, "/token"));
    json_int(item, "status", json_integer(row, "status"));
    if (code) {
        json_str(item, "code", code);
        json_bool(item, "is_explained", err_of_code(code) != ERR_NONE);
    }
    number_add(item, "credits", json_integer(row, "credits"));
    add_entry_link(row, item);
    json_str(item, "ms", json_text(row, "/total_ms"));
    json_str(item, "request", json_text(row, "/id"));
    if (client)
        json_str(item, "client", client);
}

static void add_pager(const struct visit *visit, const char *next, cJSON *model)
{
    bool is_later = *request_cursor(visit) != '\0';
    if (!next && !is_later)
        return;
    cJSON *pager = json_map(model, "pager");
    if (next)
        json_str(pager, "older", next);
    json_bool(pager, "is_later", is_later);
    json_add(pager, "filters", json_copy(json_get(model, "filters")));
}

static bool add_requests(struct visit *visit, struct sql *sql, const struct request_filter *filter,
                         cJSON *model, struct err *err)
{
    scoped(json_free) cJSON *rows = json_array();
    const cJSON *row;
    if (!sql_rows(sql, request_rows_sql, request_params(filter, request_cursor(visit), PAGE_ROWS),
                  rows, err))
        return false;
    cJSON *list = json_list(model, "requests");
    cJSON_ArrayForEach(row, rows)
        if (json_text(row, "/id"))
            add_request(row, list);
    const char *next = json_text(rows, "/0/next");
    json_bool(model, "has_requests", json_size(list) > 0);
    json_bool(model, "has_older", next != NULL);
    add_pager(visit, next, model);
    return true;
}

static bool add_gaps(struct sql *sql, const struct request_filter *filter, cJSON *model,
                     struct err *err)
{
    bool has_gaps = false;
    const struct usage_filter *usage = &filter->usage;
    if (!sql_bool(sql,
                  "select request_is_incomplete($1, $2::date::timestamp at time zone 'UTC',"
                  " ($3::date + 1)::timestamp at time zone 'UTC')",
                  SQL_PARAMS(usage->account, usage->from, usage->to), &has_gaps, err))
        return false;
    json_bool(model, "has_gaps", has_gaps);
    return true;
}

/* ---- the page ---- */

static bool fill_requests(struct visit *visit, struct sql *sql, cJSON *model, struct err *err)
{
    scoped(json_free) cJSON *now = json_object();
    scoped(json_free) cJSON *tokens = json_array();
    struct request_filter filter = { 0 };
    const char *account = visit->session.account_id;
    int64_t days = conf_int(visit->portal->conf, "requests.retention_days");
    if (!sql_begin(sql, SQL_SNAPSHOT, err) || !sql_row(sql, today_sql, NO_PARAMS, now, err) ||
        !sql_rows(sql, tokens_sql, SQL_PARAMS(account), tokens, err))
        return false;
    bool ok = request_filter_read(visit, json_text(now, "/today"), &filter);
    request_filter_add(visit, &filter, tokens, model);
    json_bool(model, "is_valid", ok);
    json_bool(model, "is_off", days == 0);
    number_add(model, "retention", days);
    if (!ok)
        return true;
    bool has_sums = !*request_cursor(visit) && !request_filter_is_narrow(&filter);
    return (!has_sums || add_days(sql, &filter, model, err)) &&
           add_gaps(sql, &filter, model, err) && add_requests(visit, sql, &filter, model, err) &&
           sql_commit(sql, err);
}

void requests_show(struct visit *visit)
{
    page_filled(visit, 200, "requests/requests", "Requests", fill_requests);
}

void requests_csv(struct visit *visit)
{
    scoped(json_free) cJSON *now = json_object();
    struct request_filter filter = { 0 };
    struct err err = { 0 };
    if (!pool_row(visit->portal->pool, today_sql, NO_PARAMS, now, &err))
        page_failed(visit, &err);
    else if (request_filter_read(visit, json_text(now, "/today"), &filter))
        request_file_answer(visit, &filter);
    else
        requests_show(visit); /* the form with its errors */
}
