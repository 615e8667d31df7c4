/* portal/usage/usage.c - /portal/usage and /portal/ledger, as pages and as CSV files. */
#include "portal/usage/usage.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/num.h"
#include "portal/base/numbers.h"
#include "portal/page/answer.h"
#include "portal/usage/calls.h"
#include "portal/usage/entry-proof.h"
#include "portal/usage/export.h"
#include "portal/usage/failures.h"
#include "portal/usage/filter.h"
#include "portal/usage/page.h"
#include "text/json.h"

enum { FILE_NAME_BYTES = 60 };

/* ---- shared ---- */

static const char balance_sql[] =
    "select b.seq, b.posted, (ledger_now() at time zone 'UTC')::date::text as today"
    "  from account_balance b where b.account_id = $1";

/* The tokens for a filter; all playground tokens are one. */
static const char tokens_sql[] =
    "select k.token_id, " TOKEN_CALLED " as name from token k"
    " where k.account_id = $1 and k.kind in (1, 3) order by k.token_id desc limit 200";

/* The number of ?before=, otherwise INT64_MAX. */
static int64_t before_of(const struct visit *visit)
{
    int64_t before;
    return num_parse(text_of(form_text(&visit->form, "before")), INT64_MAX - 1, &before)
               ? before
               : INT64_MAX;
}

static bool is_later(const struct visit *visit)
{
    return before_of(visit) != INT64_MAX;
}

static bool read_balance(struct visit *visit, struct sql *sql, cJSON *balance, struct err *err)
{
    return sql_row(sql, balance_sql, SQL_PARAMS(visit->session.account_id), balance, err) &&
           (json_text(balance, "/today") ||
            err_set(err, ERR_INTERNAL, "the account has no balance"));
}

/* The parts of a pager: pages/parts/pager.html. */
static void add_pager(const struct visit *visit, int64_t older, cJSON *filters, cJSON *model)
{
    char number[24];
    if (older == 0 && !is_later(visit)) {
        json_free(&filters);
        return;
    }
    cJSON *pager = json_map(model, "pager");
    snprintf(number, sizeof(number), "%" PRId64, older);
    if (older > 0)
        json_str(pager, "older", number);
    json_bool(pager, "is_later", is_later(visit));
    json_add(pager, "filters", filters);
}

/* ---- /portal/usage ---- */

/* Only the first page has the sums; older pages have only the list. */
static bool add_sums(const struct visit *visit, struct sql *sql, const struct usage_filter *filter,
                     cJSON *model, struct err *err)
{
    return is_later(visit) ? usage_bounds(sql, filter, model, err)
                           : usage_sums(sql, visit->portal->catalog, filter, model, err) &&
                                 failures_add(sql, filter, model, err);
}

static bool add_calls(struct visit *visit, struct sql *sql, const struct usage_filter *filter,
                      int64_t newest, bool is_counting, cJSON *model, struct err *err)
{
    int64_t last = is_counting ? newest : json_integer(model, "last_seq");
    int64_t first = is_counting ? 0 : json_integer(model, "first_seq");
    struct span span = { MIN(before_of(visit), last + 1), first };
    int64_t older = 0;
    cJSON *calls = json_list(model, "calls");
    if (last > 0 && !entries_page(sql, filter->account, filter, span, calls, &older, err))
        return false;
    json_bool(model, "has_calls", json_size(calls) > 0);
    json_bool(model, "has_older", older > 0);
    add_pager(visit, older, json_copy(json_get(model, "filters")), model);
    return true;
}

static bool fill_usage(struct visit *visit, struct sql *sql, cJSON *model, struct err *err)
{
    scoped(json_free) cJSON *balance = json_object();
    scoped(json_free) cJSON *tokens = json_array();
    struct usage_filter filter = { 0 };
    int64_t left = 0;
    struct sql_params account = { 1, { visit->session.account_id } };
    if (!usage_count(sql, visit->session.account_id, &left, err) ||
        !sql_begin(sql, SQL_SNAPSHOT, err) || !read_balance(visit, sql, balance, err) ||
        !sql_rows(sql, tokens_sql, account, tokens, err))
        return false;
    bool ok = filter_read(visit, json_text(balance, "/today"), &filter);
    filter_add(visit, &filter, tokens, json_list(model, "fields"), json_list(model, "filters"));
    json_bool(model, "is_valid", ok);
    json_bool(model, "is_counting", left > 0);
    return !ok ||
           ((left > 0 || add_sums(visit, sql, &filter, model, err)) &&
            proofs_add(sql, model, err) &&
            add_calls(visit, sql, &filter, json_integer(balance, "seq"), left > 0, model, err) &&
            sql_commit(sql, err));
}

void usage_show(struct visit *visit)
{
    page_filled(visit, 200, "usage/usage", "Usage", fill_usage);
}

/* ---- /portal/ledger ---- */

static bool fill_ledger(struct visit *visit, struct sql *sql, cJSON *model, struct err *err)
{
    scoped(json_free) cJSON *balance = json_object();
    int64_t older = 0;
    cJSON *entries = json_list(model, "entries");
    if (!read_balance(visit, sql, balance, err))
        return false;
    struct span span = { MIN(before_of(visit), json_integer(balance, "seq") + 1), 0 };
    if (!entries_page(sql, visit->session.account_id, NULL, span, entries, &older, err) ||
        !proofs_add(sql, model, err))
        return false;
    json_bool(model, "has_entries", json_size(entries) > 0);
    number_add(model, "posted", json_integer(balance, "posted"));
    number_add(model, "count", json_integer(balance, "seq"));
    json_str(model, "entries_noun", noun_of(json_integer(balance, "seq"), "entry", "entries"));
    add_pager(visit, older, json_array(), model);
    return true;
}

void ledger_show(struct visit *visit)
{
    page_filled(visit, 200, "usage/ledger", "Ledger", fill_ledger);
}

/* ---- files ---- */

void ledger_csv(struct visit *visit)
{
    scoped(json_free) cJSON *balance = json_object();
    scoped(pool_give) struct sql *sql = NULL;
    struct err err = { 0 };
    char name[FILE_NAME_BYTES];
    bool ok = pool_take(visit->portal->pool, &sql, &err) && read_balance(visit, sql, balance, &err);
    pool_give(&sql);
    if (!ok) {
        page_failed(visit, &err);
        return;
    }
    snprintf(name, sizeof(name), "ledger-%.10s", json_text(balance, "/today"));
    export_answer(visit, name, NULL, 1, json_integer(balance, "seq"));
}

/* A file is exact even if not everything is counted: it reads the entries themselves, from the
 * first counted one of its days on. */
static const char span_sql[] =
    "select coalesce((select min(d.first_seq) from usage_day d"
    "                  where d.account_id = $1 and d.day >= $2::date),"
    "                (select r.seq + 1 from usage_roll r where r.account_id = $1), 1) as first_seq";

static bool read_span(struct visit *visit, struct sql *sql, struct usage_filter *filter,
                      cJSON *balance, struct err *err)
{
    return read_balance(visit, sql, balance, err) &&
           filter_read(visit, json_text(balance, "/today"), filter) &&
           sql_row(sql, span_sql, SQL_PARAMS(filter->account, filter->from), balance, err);
}

void usage_csv(struct visit *visit)
{
    scoped(json_free) cJSON *balance = json_object();
    struct usage_filter filter = { 0 };
    scoped(pool_give) struct sql *sql = NULL;
    struct err err = { 0 };
    char name[FILE_NAME_BYTES];
    bool ok =
        pool_take(visit->portal->pool, &sql, &err) && read_span(visit, sql, &filter, balance, &err);
    pool_give(&sql);
    if (visit->errors) {
        usage_show(visit); /* the form with its errors */
        return;
    }
    if (!ok) {
        page_failed(visit, &err);
        return;
    }
    snprintf(name, sizeof(name), "usage-%.10s-%.10s", filter.from, filter.to);
    export_answer(visit, name, &filter, json_integer(balance, "first_seq"),
                  json_integer(balance, "seq"));
}
