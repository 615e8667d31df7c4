/* portal/public/plans.c - see plans.h. */
#include "portal/public/plans.h"

#include <stdio.h>
#include <string.h>

#include "base/os/log.h"
#include "portal/public/tool-model.h"
#include "text/json.h"

enum { SENTENCE_BYTES = 160 };

static const char public_sql[] =
    "select p.name, p.global_per_minute, l.rate_class, l.endpoint_per_minute, l.class_per_minute,"
    "       l.daily_per_tool"
    "  from plan p left join plan_limit l using (plan_id)"
    " where p.is_public order by p.global_per_minute, p.name, l.rate_class";

static const char own_sql[] =
    "select p.name, p.global_per_minute, l.endpoint_per_minute, l.class_per_minute,"
    "       l.daily_per_tool"
    "  from account a join plan p using (plan_id)"
    "  left join plan_limit l on l.plan_id = p.plan_id and l.rate_class = $2"
    " where a.account_id = $1 and not a.limits_off";

/* ---- /pricing ---- */

static void add_sentence(const cJSON *row, const char *number, const char *unit, cJSON *limits)
{
    char words[SENTENCE_BYTES];
    const char *class = json_text(row, "/rate_class");
    if (!class || !json_is(json_get(row, number), cJSON_Number))
        return;
    int64_t calls = json_integer(row, number);
    if (calls > 0)
        snprintf(words, sizeof(words), "%s: %lld calls %s", class, (long long)calls, unit);
    else
        snprintf(words, sizeof(words), "%s: no limit %s", class, unit);
    json_item_str(limits, words);
}

/* Rows of a plan come one after the other. */
static void add_plan_row(const cJSON *row, cJSON *plans, cJSON **limits, const char **name)
{
    const char *plan = json_text(row, "/name");
    if (!*name || strcmp(*name, plan) != 0) {
        char words[SENTENCE_BYTES];
        cJSON *item = json_item(plans);
        *name = plan;
        json_str(item, "name", plan);
        *limits = json_list(item, "limits");
        snprintf(words, sizeof(words), "%lld calls in any minute to all tools",
                 (long long)json_integer(row, "global_per_minute"));
        json_item_str(*limits, words);
    }
    add_sentence(row, "endpoint_per_minute", "in any minute to each tool", *limits);
    add_sentence(row, "class_per_minute", "in any minute to all tools of the class", *limits);
    add_sentence(row, "daily_per_tool", "per day (UTC) to each tool", *limits);
}

bool plans_add(struct sql *sql, cJSON *model, struct err *err)
{
    scoped(json_free) cJSON *rows = json_array();
    cJSON *plans = json_list(model, "plans");
    cJSON *limits = NULL;
    const char *name = NULL;
    const cJSON *row;
    bool ok = sql_rows(sql, public_sql, NO_PARAMS, rows, err);
    cJSON_ArrayForEach(row, rows)
        add_plan_row(row, plans, &limits, &name);
    json_bool(model, "has_plans", json_size(plans) > 0);
    return ok;
}

/* ---- a tool's page ---- */

static void replace_number(unsigned *number, const cJSON *row, const char *name)
{
    if (json_is(json_get(row, name), cJSON_Number))
        *number = (unsigned)json_integer(row, name);
}

void plan_limits_add(struct visit *visit, const struct contract *contract, cJSON *model)
{
    scoped(json_free) cJSON *row = json_object();
    struct err err = { 0 };
    if (!visit->is_signed_in)
        return;
    if (!pool_row(visit->portal->pool, own_sql,
                  SQL_PARAMS(visit->session.account_id, contract->rate_class), row, &err)) {
        log_line(LOG_WARN, "page shown without the account's limits",
                 log_str("error", err.message));
        return;
    }
    if (json_size(row) == 0)
        return;
    struct allowance own = catalog_cache_allowance(visit->portal->catalog, contract);
    replace_number(&own.of_all, row, "global_per_minute");
    replace_number(&own.of_tool, row, "endpoint_per_minute");
    replace_number(&own.of_class, row, "class_per_minute");
    replace_number(&own.a_day, row, "daily_per_tool");
    json_str(model, "plan", json_text(row, "/name"));
    tool_limits_add(&own, contract->rate_class, json_list(model, "own_limits"));
}
