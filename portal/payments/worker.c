/* portal/payments/worker.c - see worker.h. */
#include "portal/payments/worker.h"

#include "base/mem.h"
#include "base/os/clock.h"
#include "base/os/log.h"
#include "portal/background.h"
#include "portal/payments/look.h"
#include "portal/payments/orders.h"
#include "portal/payments/payments.h"
#include "portal/payments/reconcile.h"

/* Events that are due are counted like orders: many may tell of none. */
#define DUE_AT_ONCE "20"

enum {
    GAUGES_MS = 10000,
    BATCH_MS = 20000, /* within the 45 s that a claim lasts */
};

struct payments_worker {
    struct payments *payments;
    bool is_cut_off; /* from the database, and that was told */
    struct gauge *oldest, *in_review, *disagree, *owed, *reconciled;
    int64_t next_gauges_ms;
    int64_t begun_ms;
    struct background *looks;
    struct background *reconciles;
};

/* ---- orders that are due ---- */

static bool claim_due(struct payments_worker *worker, cJSON *list, struct err *err)
{
    struct pool *pool = payments_portal(worker->payments)->pool;
    struct sql *sql = NULL;
    bool ok =
        pool_take(pool, &sql, err) &&
        sql_rows(
            sql, "select account_id, order_id, session_ref from order_due($1, " DUE_AT_ONCE ")",
            (struct sql_params){ 1, { payments_processor(worker->payments)->name } }, list, err);
    pool_give(pool, &sql);
    return ok;
}

/* Those that a slow processor leaves no time for are due again, here or elsewhere. */
static void look_at_all(struct payments_worker *worker, const cJSON *list)
{
    int64_t end_ms = clock_ms() + BATCH_MS;
    const cJSON *row;
    cJSON_ArrayForEach(row, list) {
        if (clock_ms() >= end_ms)
            return;
        look_at(worker->payments, json_text(row, "/account_id"), json_text(row, "/order_id"),
                json_text(row, "/session_ref"), 0);
    }
}

static void tell_database(struct payments_worker *worker, bool is_up, const struct err *err)
{
    if (is_up == worker->is_cut_off)
        log_line(is_up ? LOG_INFO : LOG_WARN,
                 is_up ? "orders are looked for again" : "what orders are due cannot be read",
                 log_str("why", is_up ? NULL : err->message));
    worker->is_cut_off = !is_up;
}

/* ---- what is measured ---- */

/* An event of a checkout that is none of ours waits three days, and nobody has to look at it. */
static const char gauges_sql[] =
    "select (select count(*) from purchase_order where state = 'review') as in_review,"
    "       (select count(*) from purchase_order"
    "         where disagrees_at is not null and state = 'paid') as disagree,"
    "       (select coalesce(sum(owed), 0)::bigint from purchase_order where owed > 0) as owed,"
    "       (select coalesce(floor(extract(epoch from ledger_now() - min(e.received_at))), "
    "0)::bigint"
    "          from payment_event e where e.state = 1 and exists"
    "            (select from order_route r where r.provider = e.provider"
    "                                         and r.ref in (e.order_id::text, e.ref))) as oldest";

static void set_gauge(struct gauge *gauge, const cJSON *row, const char *name)
{
    const cJSON *node = json_get(row, name);
    if (json_is_integer(node))
        gauge_set(gauge, (int64_t)node->valuedouble);
}

/* Where none was made yet, since this process began. */
static void measure_reconciled(struct payments_worker *worker, struct sql *sql)
{
    int64_t seconds = 0;
    if (!payments_processor(worker->payments)->list_events || !reconcile_age(sql, &seconds, NULL))
        return;
    gauge_set(worker->reconciled, seconds > 0 ? seconds : (clock_ms() - worker->begun_ms) / 1000);
}

static void measure(struct payments_worker *worker)
{
    scoped(json_free) cJSON *row = json_object();
    struct pool *pool = payments_portal(worker->payments)->pool;
    struct sql *sql = NULL;
    if (clock_ms() < worker->next_gauges_ms)
        return;
    worker->next_gauges_ms = clock_ms() + GAUGES_MS;
    if (pool_take(pool, &sql, NULL) && sql_row(sql, gauges_sql, NO_PARAMS, row, NULL)) {
        set_gauge(worker->in_review, row, "in_review");
        set_gauge(worker->disagree, row, "disagree");
        set_gauge(worker->owed, row, "owed");
        set_gauge(worker->oldest, row, "oldest");
        measure_reconciled(worker, sql);
    }
    pool_give(pool, &sql);
}

/* ---- the threads ---- */

static bool look_work(void *argument)
{
    struct payments_worker *worker = argument;
    scoped(json_free) cJSON *list = json_array();
    struct err err = { 0 };
    measure(worker);
    bool ok = claim_due(worker, list, &err);
    tell_database(worker, ok, &err);
    look_at_all(worker, list);
    return json_size(list) > 0;
}

static bool reconcile_work(void *argument)
{
    struct payments_worker *worker = argument;
    struct err err = { 0 };
    if (!reconcile(worker->payments, &err))
        log_line(LOG_WARN, "the processor's events are not compared", log_str("why", err.message));
    return false;
}

/* ---- start and end ---- */

static void make_gauges(struct payments_worker *worker, struct metrics *metrics)
{
    worker->oldest =
        metrics_gauge(metrics, "payment_event_oldest_seconds",
                      "How long the oldest event of an order of ours has been waiting", NO_LABELS);
    worker->in_review = metrics_gauge(metrics, "orders_in_review",
                                      "Orders whose payment does not match them", NO_LABELS);
    worker->disagree =
        metrics_gauge(metrics, "orders_disagree",
                      "Orders that are paid here and not at the processor", NO_LABELS);
    worker->owed = metrics_gauge(metrics, "credits_owed",
                                 "Credits of refunds and disputes that were spent", NO_LABELS);
    worker->reconciled =
        metrics_gauge(metrics, "reconcile_age_seconds",
                      "Since when the processor's events were compared the last time", NO_LABELS);
}

bool payments_worker_start(struct portal *portal, struct payments_worker **made, struct err *err)
{
    scoped(payments_worker_stop) struct payments_worker *worker = mem_new(sizeof(*worker));
    int64_t poll_ms = conf_int(portal->conf, "portal.poll_ms");
    make_gauges(worker, portal->metrics); /* alerts want them there, if at 0 */
    if (!payments_are_on(portal))
        return true;
    worker->payments = portal->payments;
    worker->begun_ms = clock_ms();
    if (!background_start(look_work, worker, poll_ms, &worker->looks, err) ||
        !background_start(reconcile_work, worker, poll_ms, &worker->reconciles, err))
        return false;
    *made = take(worker);
    return true;
}

void payments_worker_stop(struct payments_worker **address)
{
    struct payments_worker *worker = *address;
    if (!worker)
        return;
    background_stop(&worker->looks);
    background_stop(&worker->reconciles);
    mem_free(address);
}
