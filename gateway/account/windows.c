/* gateway/account/windows.c - see windows.h. */
#include "gateway/account/windows.h"

#include <string.h>

#include "base/mem.h"
#include "base/num.h"
#include "base/os/log.h"
#include "gateway/account/credits.h"
#include "text/json.h"
#include "text/time/datetime.h"

/* The calls of the last minute, and when the oldest leaves the window. */
struct minute {
    int64_t calls;
    int64_t reset_ms;
};

struct windows {
    const struct catalog *catalog;
    int64_t now_ms; /* by the database's clock */
    struct minute global;
    cJSON *plan; /* rows of account_plan(); empty: the account has no plan */
    struct used {
        struct minute minute;
        int64_t today;
    } used[]; /* of each offer in the catalog */
};

/* ---- reading ---- */

static void add_minute(struct minute *sum, struct minute minute)
{
    if (minute.calls > 0 && (sum->calls == 0 || minute.reset_ms < sum->reset_ms))
        sum->reset_ms = minute.reset_ms;
    sum->calls += minute.calls;
}

/* A tool that is no longer offered still counts in the global window. */
static void add_row(struct windows *windows, const cJSON *row)
{
    int64_t tool_id = json_integer(row, "tool_id");
    struct minute minute = { json_integer(row, "calls"), json_integer(row, "reset_ms") };
    windows->now_ms = json_integer(row, "now_ms");
    add_minute(&windows->global, minute);
    for (size_t i = 0; i < windows->catalog->count; i++)
        if (windows->catalog->offers[i].tool_id == tool_id)
            windows->used[i] = (struct used){ minute, json_integer(row, "today") };
}

static bool query_windows(struct sql *sql, const struct asker *asker, cJSON *rows, cJSON *plan,
                          struct err *err)
{
    struct sql_params params = { 2, { asker->account, asker->token } };
    return sql_rows(sql,
                    "select now_ms, tool_id::int, calls, reset_ms, today"
                    "  from usage_windows($1, decode($2, 'hex'))",
                    params, rows, err) &&
           sql_rows(sql, "select * from account_plan($1, decode($2, 'hex'))", params, plan, err);
}

bool windows_read(struct pool *pool, const struct catalog *catalog, const struct asker *asker,
                  struct windows **windows, struct err *err)
{
    scoped(json_free) cJSON *rows = json_array();
    scoped(json_free) cJSON *plan = json_array();
    struct sql *sql = NULL;
    struct err why = { 0 };
    const cJSON *row;
    bool ok = pool_take(pool, &sql, &why) && query_windows(sql, asker, rows, plan, &why);
    pool_give(&sql);
    if (!ok) {
        log_line(LOG_WARN, "limits cannot be read", log_str("error", why.message));
        return err_set(err, ERR_LEDGER_UNAVAILABLE,
                       "limits cannot be read at the moment; please retry");
    }
    *windows = mem_new(sizeof(**windows) + catalog->count * sizeof((*windows)->used[0]));
    (*windows)->catalog = catalog;
    (*windows)->plan = take(plan);
    cJSON_ArrayForEach(row, rows)
        add_row(*windows, row);
    return true;
}

void windows_free(struct windows **windows)
{
    if (*windows)
        json_free(&(*windows)->plan);
    mem_free(windows);
}

/* ---- writing ---- */

static void write_window(cJSON *window, unsigned limit, struct minute minute)
{
    json_int(window, "limit", limit);
    json_int(window, "used", minute.calls);
    json_int(window, "reset_seconds", minute.calls > 0 ? (minute.reset_ms + 999) / 1000 : 0);
}

static cJSON *named(cJSON *list, const char *what, const char *name)
{
    cJSON *window = json_item(list);
    json_str(window, what, name);
    return window;
}

static void tell_tool(const struct windows *windows, size_t i, const struct limits *limits,
                      cJSON *endpoints, cJSON *daily)
{
    const struct offer *offer = &windows->catalog->offers[i];
    const struct rate_class *class = limits_class(limits, offer->rate_class);
    const struct used *used = &windows->used[i];
    int64_t day_ms = (int64_t)DAY_SECONDS * 1000;
    struct minute today = { used->today, day_ms - windows->now_ms % day_ms };
    if (class->endpoint_per_minute > 0 && used->minute.calls > 0)
        write_window(named(endpoints, "tool", offer->name), class->endpoint_per_minute,
                     used->minute);
    if (class->daily_per_tool > 0)
        write_window(named(daily, "tool", offer->name), class->daily_per_tool, today);
}

static struct minute of_class(const struct windows *windows, const struct rate_class *class)
{
    struct minute sum = { 0 };
    for (size_t i = 0; i < windows->catalog->count; i++)
        if (strcmp(windows->catalog->offers[i].rate_class, class->name) == 0)
            add_minute(&sum, windows->used[i].minute);
    return sum;
}

static int64_t number_of_row(const cJSON *row, const char *name)
{
    return json_is(json_get(row, name), cJSON_Number) ? json_integer(row, name) : -1;
}

/* The account's limits: the default ones, where its plan has no other number. */
static struct limits *limits_of_account(const struct windows *windows,
                                        const struct limits *defaults)
{
    struct limits *limits = limits_copy(defaults);
    const cJSON *row;
    cJSON_ArrayForEach(row, windows->plan) {
        const char *class = json_text(row, "/rate_class");
        limits->global_per_minute = (unsigned)json_integer(row, "global_per_minute");
        if (class)
            limits_replace(limits, class, number_of_row(row, "endpoint_per_minute"),
                           number_of_row(row, "class_per_minute"),
                           number_of_row(row, "daily_per_tool"));
    }
    return limits;
}

void windows_write(const struct windows *windows, const struct limits *defaults, cJSON *result)
{
    scoped(limits_free) struct limits *limits = limits_of_account(windows, defaults);
    const cJSON *plan = json_size(windows->plan) > 0 ? windows->plan->child : NULL;
    json_time(result, "as_of", windows->now_ms);
    if (plan)
        plan_add(result, json_text(plan, "/name"), json_integer(plan, "since_ms"));
    write_window(json_map(result, "global"), limits->global_per_minute, windows->global);
    cJSON *endpoints = json_list(result, "endpoints");
    cJSON *classes = json_list(result, "classes");
    cJSON *daily = json_list(result, "daily");
    for (size_t i = 0; i < windows->catalog->count; i++)
        tell_tool(windows, i, limits, endpoints, daily);
    for (size_t i = 0; i < limits->class_count; i++)
        if (limits->classes[i].class_per_minute > 0)
            write_window(named(classes, "class", limits->classes[i].name),
                         limits->classes[i].class_per_minute,
                         of_class(windows, &limits->classes[i]));
}
