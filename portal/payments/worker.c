/* portal/payments/worker.c - see worker.h. */
#include "portal/payments/worker.h"

#include <stdio.h>

#include "base/mem.h"
#include "base/os/clock.h"
#include "base/os/log.h"
#include "portal/base/background.h"
#include "portal/payments/invoicing.h"
#include "portal/payments/payments.h"
#include "portal/payments/reconcile-balance.h"
#include "portal/payments/reconcile-events.h"
#include "portal/payments/reconcile-order.h"
#include "portal/payments/tax-checks.h"

/* Orders or events in one batch. Many events may not belong to an order. */
#define DUE_AT_ONCE  "20"
#define LOST_AT_ONCE "100"

enum {
    GAUGES_MS = 10000,
    LOST_MS = 600000, /* between two searches for orders whose provider was removed */
    NAMES_BYTES = 64,
    BATCH_MS = 20000, /* must be below the lease of a claim, 45 s */
};

/* Of the last 24 hours. */
struct sales_gauges {
    struct gauge *paid; /* orders */
    struct gauge *sold; /* their credits */
};

struct payments_worker {
    struct portal *portal;
    bool is_cut_off;    /* the database failed, and that was logged */
    bool is_unnumbered; /* documents could not get their numbers, and that was logged */
    struct gauge *oldest, *in_review, *disagree, *owed, *reconciled, *unnumbered;
    struct sales_gauges live, test;
    struct reconcile_gauges *balance;
    int64_t next_gauges_ms;
    int64_t next_lost_ms;
    char followed[NAMES_BYTES]; /* names of the followed providers, as an SQL array */
    int64_t begun_ms;
    struct background *order_thread;
    struct background *event_thread;
    struct background *balance_thread;
};

/* ---- orders that are due ---- */

static bool claim_due(struct payments_worker *worker, cJSON *list, struct err *err)
{
    return pool_rows(worker->portal->pool,
                     "select d.account_id, d.order_id, d.session_ref"
                     "  from unnest($1::text[]) provider, order_due(provider, " DUE_AT_ONCE ") d",
                     SQL_PARAMS(worker->followed), list, err);
}

/* Orders that do not fit into BATCH_MS are due again, in any portal. */
static void reconcile_orders(struct payments_worker *worker, const cJSON *list)
{
    int64_t end_ms = clock_ms() + BATCH_MS;
    const cJSON *row;
    cJSON_ArrayForEach(row, list) {
        if (clock_ms() >= end_ms)
            return;
        reconcile_order(worker->portal, json_text(row, "/account_id"), json_text(row, "/order_id"),
                        json_text(row, "/session_ref"), 0);
    }
}

/* ---- orders whose provider was removed ---- */

static void abandon_lost_orders(struct payments_worker *worker)
{
    scoped(json_free) cJSON *list = json_array();
    struct err err = { 0 };
    const cJSON *row;
    if (clock_ms() < worker->next_lost_ms)
        return;
    worker->next_lost_ms = clock_ms() + LOST_MS;
    if (!pool_rows(worker->portal->pool,
                   "select * from order_abandon_unserved($1::text[], " LOST_AT_ONCE ")",
                   SQL_PARAMS(worker->followed), list, &err))
        log_line(LOG_WARN, "lost orders cannot be queried", log_str("error", err.message));
    cJSON_ArrayForEach(row, list)
        reconcile_log_abandoned(worker->portal, json_text(row, "/account_id"),
                                json_text(row, "/order_id"), json_text(row, "/state"));
}

/* ---- numbers of invoices ---- */

static void number_invoices(struct payments_worker *worker)
{
    struct err err = { 0 };
    bool ok = invoicing_run(worker->portal, &err);
    background_log(&worker->is_unnumbered, ok, "invoices can be numbered again",
                   "invoices cannot be numbered", &err);
}

/* ---- gauges ---- */

/* The oldest event counts only if it belongs to an order of a followed provider: others wait 3 days
 * and need no action. */
static const char gauges_sql[] =
    "select (select count(*) from purchase_order where state = 'review') as in_review,"
    "       (select count(*) from purchase_order"
    "         where disagrees_at is not null and state = 'paid') as disagree,"
    "       (select coalesce(sum(owed), 0)::bigint from purchase_order where owed > 0) as owed,"
    "       (select coalesce(floor(extract(epoch from ledger_now() - min(made_at))), 0)::bigint"
    "          from invoice where name is null) as unnumbered,"
    "       s.*,"
    "       (select coalesce(floor(extract(epoch from ledger_now() - min(e.received_at))), "
    "0)::bigint"
    "          from payment_event e where e.state = 1 and e.provider = any ($1::text[]) and exists"
    "            (select from order_route r where r.provider = e.provider"
    "                                         and r.ref in (e.order_id::text, e.ref))) as oldest"
    "  from (select count(*) filter (where not o.test) as live_paid,"
    "               coalesce(sum(o.credits) filter (where not o.test), 0)::bigint as live_sold,"
    "               count(*) filter (where o.test) as test_paid,"
    "               coalesce(sum(o.credits) filter (where o.test), 0)::bigint as test_sold"
    "          from (select o.credits, coalesce(order_is_test(o), false) as test"
    "                  from purchase_order o, (select ledger_now() - interval '1 day' as since) d"
    "                 where o.state = 'paid' and o.paid_at > d.since and o.total is not null"
    "                   and greatest(o.applied_at, o.paid_at) > d.since) o) s"; /* its index */

static void set_gauge(struct gauge *gauge, const cJSON *row, const char *name)
{
    const cJSON *node = json_get(row, name);
    if (json_is_integer(node))
        gauge_set(gauge, (int64_t)node->valuedouble);
}

/* Before the first comparison: the time since this process started. */
static void measure_reconciled(struct payments_worker *worker, struct sql *sql)
{
    int64_t seconds = 0;
    if (!reconcile_events_is_wanted(worker->portal) || !reconcile_events_age(sql, &seconds, NULL))
        return;
    gauge_set(worker->reconciled, seconds > 0 ? seconds : (clock_ms() - worker->begun_ms) / 1000);
}

static void update_gauges(struct payments_worker *worker)
{
    scoped(json_free) cJSON *row = json_object();
    scoped(pool_give) struct sql *sql = NULL;
    if (clock_ms() < worker->next_gauges_ms)
        return;
    worker->next_gauges_ms = clock_ms() + GAUGES_MS;
    if (pool_take(worker->portal->pool, &sql, NULL) &&
        sql_row(sql, gauges_sql, SQL_PARAMS(worker->followed), row, NULL)) {
        set_gauge(worker->in_review, row, "in_review");
        set_gauge(worker->disagree, row, "disagree");
        set_gauge(worker->owed, row, "owed");
        set_gauge(worker->unnumbered, row, "unnumbered");
        set_gauge(worker->live.paid, row, "live_paid");
        set_gauge(worker->live.sold, row, "live_sold");
        set_gauge(worker->test.paid, row, "test_paid");
        set_gauge(worker->test.sold, row, "test_sold");
        set_gauge(worker->oldest, row, "oldest");
        measure_reconciled(worker, sql);
        reconcile_balance_measure(worker->portal, worker->balance, sql);
    }
}

/* ---- the threads ---- */

static bool order_work(void *argument)
{
    struct payments_worker *worker = argument;
    scoped(json_free) cJSON *list = json_array();
    struct err err = { 0 };
    update_gauges(worker);
    abandon_lost_orders(worker);
    bool ok = claim_due(worker, list, &err);
    background_log(&worker->is_cut_off, ok, "due orders can be queried again",
                   "due orders cannot be queried", &err);
    reconcile_orders(worker, list);
    number_invoices(worker);
    return json_size(list) > 0;
}

static bool event_work(void *argument)
{
    struct payments_worker *worker = argument;
    struct err err = { 0 };
    if (!reconcile_events(worker->portal, &err))
        log_line(LOG_WARN, "the processor's events are not compared",
                 log_str("error", err.message));
    return false;
}

static bool balance_work(void *argument)
{
    struct payments_worker *worker = argument;
    struct err err = { 0 };
    if (!reconcile_balance(worker->portal, &err))
        log_line(LOG_WARN, "the processor's balance is not compared",
                 log_str("error", err.message));
    if (!tax_checks_run(worker->portal, &err))
        log_line(LOG_WARN, "tax numbers are not checked", log_str("error", err.message));
    return false;
}

/* ---- start and end ---- */

static struct sales_gauges make_sales_gauges(struct metrics *metrics, const char *mode)
{
    struct labels labels = { "mode", mode };
    return (struct sales_gauges){
        .paid = metrics_gauge(metrics, "tollgate_orders_paid_last_day",
                              "Orders paid in the last 24 hours", labels),
        .sold = metrics_gauge(metrics, "tollgate_credits_sold_last_day",
                              "Credits of orders paid in the last 24 hours", labels),
    };
}

static void make_gauges(struct payments_worker *worker, struct metrics *metrics)
{
    worker->oldest =
        metrics_gauge(metrics, "tollgate_payment_event_oldest_age_seconds",
                      "Age of the oldest waiting event that belongs to an order", NO_LABELS);
    worker->in_review = metrics_gauge(metrics, "tollgate_orders_in_review",
                                      "Orders whose payment does not match", NO_LABELS);
    worker->disagree =
        metrics_gauge(metrics, "tollgate_orders_mismatched",
                      "Orders that are paid here but not at the processor", NO_LABELS);
    worker->owed =
        metrics_gauge(metrics, "tollgate_credits_owed",
                      "Credits of refunds and disputes that were already spent", NO_LABELS);
    worker->unnumbered =
        metrics_gauge(metrics, "tollgate_invoice_oldest_unnumbered_age_seconds",
                      "Age of the oldest invoice or credit note without a number", NO_LABELS);
    worker->live = make_sales_gauges(metrics, "live");
    worker->test = make_sales_gauges(metrics, "test");
    worker->reconciled =
        metrics_gauge(metrics, "tollgate_payment_reconciliation_age_seconds",
                      "Time since the processor's events were last compared", NO_LABELS);
    worker->balance = reconcile_balance_gauges(metrics);
}

/* "{test,stripe}" */
static void name_followed(struct payments_worker *worker)
{
    const struct provider *provider;
    size_t size = 0;
    for (size_t i = 0; (provider = payments_followed(worker->portal, i)); i++)
        size += (size_t)snprintf(worker->followed + size, sizeof(worker->followed) - size, "%c%s",
                                 i == 0 ? '{' : ',', provider->name);
    snprintf(worker->followed + size, sizeof(worker->followed) - size, size > 0 ? "}" : "{}");
}

bool payments_worker_start(struct portal *portal, struct payments_worker **made, struct err *err)
{
    scoped(payments_worker_stop) struct payments_worker *worker = mem_new(sizeof(*worker));
    int64_t poll_ms = conf_int(portal->conf, "portal.poll_ms");
    make_gauges(worker, portal->metrics);
    worker->portal = portal;
    name_followed(worker);
    worker->begun_ms = clock_ms();
    if (!background_start(order_work, worker, poll_ms, &worker->order_thread, err) ||
        !background_start(event_work, worker, poll_ms, &worker->event_thread, err) ||
        !background_start(balance_work, worker, poll_ms, &worker->balance_thread, err))
        return false;
    *made = take(worker);
    return true;
}

void payments_worker_stop(struct payments_worker **address)
{
    struct payments_worker *worker = *address;
    if (!worker)
        return;
    background_stop(&worker->order_thread);
    background_stop(&worker->event_thread);
    background_stop(&worker->balance_thread);
    reconcile_balance_gauges_free(&worker->balance);
    mem_free(address);
}
