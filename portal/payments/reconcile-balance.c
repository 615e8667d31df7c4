/* portal/payments/reconcile-balance.c - see reconcile-balance.h. */
#include "portal/payments/reconcile-balance.h"

#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/os/clock.h"
#include "base/os/log.h"
#include "base/table.h"
#include "payments/reconcile.h"
#include "portal/payments/stripe/keys.h"

#define NAME  "balance"
#define FIRST "balance_first_attempt" /* never due; its cursor is the time */
#define LEASE "interval '40 minutes'" /* above DAY_MS: renewed after each day */
#define RETRY "interval '10 minutes'"

enum {
    DAY_S = 86400,
    LAG_S = 3600,
    FIRST_DAYS = 7, /* before today, for the first comparison */
    DAY_MS = 30 * 60000,
    NUMBER_BYTES = 24,
    FOUND_MAX_BYTES = 8 << 20,
    CURRENCIES_MAX = 16,
};

struct turn {
    struct portal *portal;
    const struct provider *provider;
    int64_t now_s;
    int64_t from_s; /* the next day to compare */
};

/* ---- the turn ---- */

static const char claim_sql[] =
    "with made as (insert into job (name, due_at) values ('" NAME "', ledger_now())"
    "              on conflict do nothing returning due_at),"
    "      first as (insert into job (name, due_at, cursor)"
    "                select '" FIRST
    "', timestamptz '9999-01-01', floor(extract(epoch from ledger_now()))::text"
    "                    on conflict do nothing)"
    " update job set due_at = now_at + " LEASE " from ledger_now() now_at"
    "  where name = '" NAME "' and due_at <= now_at"
    " returning coalesce(cursor::bigint, 0) as from_s,"
    "           floor(extract(epoch from now_at))::bigint as now_s";

static bool claim_turn(struct turn *turn, bool *is_mine, struct err *err)
{
    scoped(json_free) cJSON *row = json_object();
    if (!pool_row(turn->portal->pool, claim_sql, NO_PARAMS, row, err))
        return false;
    *is_mine = json_size(row) > 0;
    turn->now_s = json_integer(row, "now_s");
    turn->from_s = json_integer(row, "from_s");
    if (turn->from_s == 0)
        turn->from_s = turn->now_s - turn->now_s % DAY_S - FIRST_DAYS * DAY_S;
    return true;
}

static bool end_day(const struct turn *turn, struct err *err)
{
    char cursor[NUMBER_BYTES];
    snprintf(cursor, sizeof(cursor), "%lld", (long long)turn->from_s);
    return pool_run(turn->portal->pool,
                    "update job set due_at = ledger_now() + " LEASE ", cursor = $1"
                    " where name = '" NAME "'",
                    SQL_PARAMS(cursor), err);
}

/* The next day ends at the midnight after the cursor. */
static bool end_turn(const struct turn *turn, struct err *err)
{
    char due[NUMBER_BYTES];
    snprintf(due, sizeof(due), "%lld", (long long)(turn->from_s + DAY_S + LAG_S));
    return pool_run(turn->portal->pool,
                    "update job set due_at = to_timestamp($1::bigint) where name = '" NAME "'",
                    SQL_PARAMS(due), err);
}

static void retry_turn(const struct turn *turn)
{
    if (!pool_run(turn->portal->pool,
                  "update job set due_at = ledger_now() + " RETRY " where name = '" NAME "'",
                  NO_PARAMS, NULL))
        return; /* its lease ends later */
}

/* ---- differences ---- */

static void log_difference(const cJSON *row)
{
    log_line(LOG_WARN, "the processor's balance differs from an order",
             log_str("order_id", json_text(row, "/order")),
             log_str("payment_id", json_text(row, "/payment")),
             log_str("difference", json_text(row, "/what")),
             log_str("currency", json_text(row, "/currency")),
             log_int("ledger_amount", json_integer(row, "ledger")),
             log_int("processor_amount", json_integer(row, "processor")));
}

/* Replace the differences of the orders in checked (an SQL array) by those that were found. */
static bool store_differences(const struct turn *turn, const char *checked,
                              const struct reconcile_report *report, struct err *err)
{
    scoped(buf_free) struct buf found = BUF(FOUND_MAX_BYTES);
    const cJSON *row;
    cJSON_ArrayForEach(row, report->differences)
        log_difference(row);
    if (!json_print(report->differences, &found))
        return err_set(err, ERR_INTERNAL, "there are too many differences");
    return pool_run(turn->portal->pool, "select reconcile_record($1, $2::uuid[], $3)",
                    SQL_PARAMS(turn->provider->name, checked, buf_str(&found)), err);
}

/* ---- comparisons ---- */

static bool rows_of(void *pool, const char *statement, struct sql_params params, cJSON *list,
                    struct err *err)
{
    return pool_rows(pool, statement, params, list, err);
}

static bool open_task(const struct turn *turn, struct stripe_client *client,
                      struct reconcile_task *task, struct err *err)
{
    struct portal *portal = turn->portal;
    *client = (struct stripe_client){ .egress = portal->egress,
                                      .url = conf_str(portal->conf, "payments.stripe_url"),
                                      .is_stopping = &portal->is_draining };
    stripe_key(portal->stripe_keys, client->key);
    *task = (struct reconcile_task){ .client = client,
                                     .database = { portal->pool, rows_of },
                                     .provider = turn->provider->name,
                                     .is_live = payments_are_live(portal, turn->provider),
                                     .lag_s = LAG_S,
                                     .deadline_ms = clock_ms() + DAY_MS };
    return reconcile_read_live_since(conf_str(portal->conf, "payments.live_since"),
                                     &task->live_since_s, err);
}

static bool compare_day(struct turn *turn, struct err *err)
{
    scoped(reconcile_report_free) struct reconcile_report report = { 0 };
    scoped(stripe_client_wipe) struct stripe_client client = { 0 };
    struct reconcile_task task;
    if (!open_task(turn, &client, &task, err))
        return false;
    task.from_s = turn->from_s;
    task.to_s = turn->from_s + DAY_S;
    if (!reconcile_compare(&task, &report, err) || !store_differences(turn, "{}", &report, err))
        return false;
    turn->from_s = task.to_s;
    return end_day(turn, err);
}

static bool compare_days(struct turn *turn, struct err *err)
{
    while (turn->from_s + DAY_S + LAG_S <= turn->now_s)
        if (!compare_day(turn, err))
            return false;
    return true;
}

/* One row: the stored orders with their payments, and their ids as an SQL array. */
static const char stored_sql[] =
    "with d as (select order_id, array_agg(payment) as found, min(account_id::text) as account_id "
    "from reconcile_difference"
    "            where provider = $1 group by order_id)"
    " select coalesce(array_agg(order_id), '{}')::text as ids,"
    "        coalesce(json_agg(json_build_object('order_id', order_id, 'account_id', account_id, "
    "'payments', array("
    "            select r.ref from order_route r where r.provider = $1 and r.order_id = d.order_id"
    "               and starts_with(r.ref, 'pi_')"
    "            union select unnest(string_to_array(p, ' ')) from unnest(d.found) p))), '[]')"
    "            as orders from d";

static bool compare_stored(const struct turn *turn, struct err *err)
{
    scoped(json_free) cJSON *row = json_object();
    scoped(reconcile_report_free) struct reconcile_report report = { 0 };
    scoped(stripe_client_wipe) struct stripe_client client = { 0 };
    struct reconcile_task task;
    if (!open_task(turn, &client, &task, err))
        return false;
    task.lag_s = 0; /* a stored difference must not end because its order has just changed */
    return pool_row(turn->portal->pool, stored_sql, SQL_PARAMS(turn->provider->name), row, err) &&
           reconcile_compare_orders(&task, json_get(row, "orders"), &report, err) &&
           store_differences(turn, json_text(row, "/ids"), &report, err);
}

bool reconcile_balance(struct portal *portal, struct err *err)
{
    struct turn turn = { .portal = portal,
                         .provider = payments_find(portal, stripe_provider.name) };
    bool is_mine = false;
    if (!turn.provider)
        return true;
    if (!claim_turn(&turn, &is_mine, err))
        return false;
    if (!is_mine)
        return true;
    if (compare_days(&turn, err) && compare_stored(&turn, err) && end_turn(&turn, err))
        return true;
    retry_turn(&turn);
    return false;
}

/* ---- gauges ---- */

struct reconcile_gauges {
    struct metrics *metrics;
    struct gauge *orders, *last_success;
    size_t count;
    struct {
        char currency[CURRENCY_BYTES];
        struct gauge *gauge;
    } amount[CURRENCIES_MAX];
};

struct reconcile_gauges *reconcile_balance_gauges(struct metrics *metrics)
{
    struct reconcile_gauges *gauges = mem_new(sizeof(*gauges));
    gauges->metrics = metrics;
    gauges->orders =
        metrics_gauge(metrics, "tollgate_payment_balance_differing_orders",
                      "Orders that differ from the processor's balance transactions", NO_LABELS);
    gauges->last_success = metrics_gauge(
        metrics, "tollgate_payment_balance_last_success_timestamp_seconds",
        "End of the last day that was compared with the processor's balance transactions, or the "
        "first attempt if that is later; 0: never tried",
        NO_LABELS);
    return gauges;
}

void reconcile_balance_gauges_free(struct reconcile_gauges **gauges)
{
    mem_free(gauges);
}

static struct gauge *find_amount(struct reconcile_gauges *gauges, const char *currency)
{
    for (size_t i = 0; i < gauges->count; i++)
        if (strcmp(gauges->amount[i].currency, currency) == 0)
            return gauges->amount[i].gauge;
    if (gauges->count == CURRENCIES_MAX || strlen(currency) >= CURRENCY_BYTES)
        return NULL;
    size_t i = gauges->count++;
    memcpy(gauges->amount[i].currency, currency, strlen(currency) + 1);
    gauges->amount[i].gauge = metrics_gauge(
        gauges->metrics, "tollgate_payment_balance_difference",
        "Sum of the differences between orders and the processor's balance transactions, in the "
        "currency's minor unit, without their signs",
        (struct labels){ "currency", currency });
    return gauges->amount[i].gauge;
}

/* One row. last_success: null before the first attempt. */
static const char gauges_sql[] =
    "with d as (select * from reconcile_difference where provider = $1)"
    " select (select count(distinct order_id) from d) as orders,"
    "        (select coalesce(json_object_agg(currency, amount), '{}')"
    "           from (select currency, sum(abs(processor - ledger))::bigint as amount"
    "                   from d where what <> 'credits' group by 1) s) as amounts,"
    "        (select max(cursor::bigint) from job where name in ('" NAME "', '" FIRST "'))"
    "            as last_success";

void reconcile_balance_measure(struct portal *portal, struct reconcile_gauges *gauges,
                               struct sql *sql)
{
    scoped(json_free) cJSON *row = json_object();
    const cJSON *amount;
    if (!payments_find(portal, stripe_provider.name) ||
        !sql_row(sql, gauges_sql, SQL_PARAMS(stripe_provider.name), row, NULL))
        return;
    gauge_set(gauges->last_success, json_integer(row, "last_success"));
    gauge_set(gauges->orders, json_integer(row, "orders"));
    for (size_t i = 0; i < gauges->count; i++)
        gauge_set(gauges->amount[i].gauge,
                  json_integer(json_get(row, "amounts"), gauges->amount[i].currency));
    cJSON_ArrayForEach(amount, json_get(row, "amounts")) {
        struct gauge *gauge = find_amount(gauges, amount->string);
        if (gauge)
            gauge_set(gauge, (int64_t)amount->valuedouble);
    }
}
