/* portal/payments/reconcile-order.c - see reconcile-order.h. */
#include "portal/payments/reconcile-order.h"

#include <stdio.h>
#include <string.h>

#include "base/os/fault.h"
#include "base/os/log.h"

enum { NUMBER_BYTES = 24, FACTS_MAX_BYTES = 16 << 10 };

struct order_read {
    struct portal *portal;
    const struct provider *provider;
    const char *account_id;
    struct purchase purchase;
    bool is_cancel_asked; /* and the checkout is open */
    char number[NUMBER_BYTES];
};

/* ---- begin ---- */

static const char row_sql[] =
    "select provider, coalesce(session_ref, $3) as session, credits, amount, currency,"
    "       floor(extract(epoch from expires_at))::bigint as expires_s,"
    "       cancel_asked and state in ('new', 'open') as cancel_asked,"
    "       $4::integer > 0 and coalesce(read_at > ledger_now() - interval '1 s' * $4::integer, "
    "false)"
    "           as is_recent"
    "  from purchase_order where account_id = $1 and order_id = $2";

/* False: there is nothing to read. */
static bool read_order_row(const cJSON *row, struct order_read *reading)
{
    struct purchase *purchase = &reading->purchase;
    const char *provider = json_text(row, "/provider");
    const char *session = json_text(row, "/session");
    const char *currency = json_text(row, "/currency");
    reading->provider = provider ? payments_find(reading->portal, provider) : NULL;
    if (!reading->provider || !session || !currency || sql_is(row, "is_recent"))
        return false;
    snprintf(purchase->session, sizeof(purchase->session), "%s", session);
    snprintf(purchase->currency, sizeof(purchase->currency), "%.3s", currency);
    purchase->credits = json_integer(row, "credits");
    purchase->amount = json_integer(row, "amount");
    purchase->expires_s = json_integer(row, "expires_s");
    reading->is_cancel_asked = sql_is(row, "cancel_asked");
    return true;
}

static bool read_row(struct sql *sql, const char *session, int apart_s, struct order_read *reading,
                     bool *is_there, struct err *err)
{
    scoped(json_free) cJSON *row = json_object();
    char seconds[NUMBER_BYTES];
    snprintf(seconds, sizeof(seconds), "%d", apart_s);
    if (!sql_row(sql, row_sql,
                 SQL_PARAMS(reading->account_id, reading->purchase.order_id, session, seconds), row,
                 err))
        return false;
    *is_there = read_order_row(row, reading);
    return true;
}

/* *is_begun: no other read is running. */
static bool begin_read(struct sql *sql, struct order_read *reading, bool *is_begun, struct err *err)
{
    scoped(json_free) cJSON *row = json_object();
    if (!sql_row(sql, "select payment_begin($1, $2)::text as number",
                 SQL_PARAMS(reading->account_id, reading->purchase.order_id), row, err))
        return false;
    sql_copy(row, "number", reading->number, sizeof(reading->number));
    *is_begun = reading->number[0] != '\0';
    return true;
}

static bool begin_order_read(const char *session, int apart_s, struct order_read *reading,
                             bool *is_begun, struct err *err)
{
    scoped(pool_give) struct sql *sql = NULL;
    bool is_there = false;
    return pool_take(reading->portal->pool, &sql, err) &&
           read_row(sql, session, apart_s, reading, &is_there, err) &&
           (!is_there || begin_read(sql, reading, is_begun, err));
}

/* ---- apply ---- */

static bool apply_in_transaction(struct sql *sql, const struct order_read *reading,
                                 const char *facts, cJSON *row, struct err *err)
{
    bool ok =
        sql_begin(sql, SQL_WRITE, err) &&
        sql_row(sql, "select payment_apply($1, $2, $3::bigint, $4::jsonb) as state",
                SQL_PARAMS(reading->account_id, reading->purchase.order_id, reading->number, facts),
                row, err);
    FAULT_POINT("before-apply-commit");
    return ok && sql_commit(sql, err);
}

/* Events stored before this read began are done: it has seen what they report. */
static bool finish_events(struct sql *sql, const struct order_read *reading, struct err *err)
{
    scoped(json_free) cJSON *row = json_object();
    return sql_row(sql, "select payment_events_done($1, $2, $3::bigint) as events",
                   SQL_PARAMS(reading->account_id, reading->purchase.order_id, reading->number),
                   row, err);
}

static bool apply_facts(const struct order_read *reading, const struct facts *facts,
                        enum read_result *result, struct err *err)
{
    scoped(buf_free) struct buf text = BUF(FACTS_MAX_BYTES);
    scoped(json_free) cJSON *row = json_object();
    struct portal *portal = reading->portal;
    scoped(pool_give) struct sql *sql = NULL;
    bool is_live = payments_are_live(reading->portal, reading->provider);
    facts_print(facts, is_live, !is_live, &text);
    bool ok = pool_take(portal->pool, &sql, err) &&
              apply_in_transaction(sql, reading, buf_str(&text), row, err);
    const char *state = json_text(row, "/state");
    if (ok) {
        FAULT_POINT("after-apply");
        *result = state && strcmp(state, "stale") != 0 ? READ_APPLIED : READ_STALE;
        ok = *result == READ_STALE || finish_events(sql, reading, err);
        log_line(LOG_INFO, "order read", log_str("account_id", reading->account_id),
                 log_str("order_id", reading->purchase.order_id), log_str("state", state));
    }
    return ok;
}

/* ---- failures ---- */

void reconcile_log_abandoned(struct portal *portal, const char *account_id, const char *order_id,
                             const char *state)
{
    counter_add(payments_counters(portal)->given_up, 1);
    log_line(LOG_WARN, "an order is given up: it could not be read for three days",
             log_str("account_id", account_id), log_str("order_id", order_id),
             log_str("state", state));
}

/* End the read. The order is due again, later each time, for 3 days. */
static void end_failed_read(const struct order_read *reading, const struct err *why)
{
    scoped(json_free) cJSON *row = json_object();
    struct err err = { 0 };
    bool ok = pool_row(
        reading->portal->pool, "select payment_missed($1, $2, $3::bigint, $4) as given_up",
        SQL_PARAMS(reading->account_id, reading->purchase.order_id, reading->number, why->message),
        row, &err);
    const char *state = json_text(row, "/given_up");
    if (!ok) /* then the lease expires */
        log_line(LOG_WARN, "failed read not recorded", log_str("error", err.message));
    else if (state)
        reconcile_log_abandoned(reading->portal, reading->account_id, reading->purchase.order_id,
                                state);
}

static void log_failure(const struct order_read *reading, const struct err *err)
{
    log_line(LOG_WARN, "an order cannot be read", log_str("account_id", reading->account_id),
             log_str("order_id", reading->purchase.order_id), log_str("error", err->message));
}

/* ---- all of it ---- */

static bool read_facts(struct order_read *reading, struct facts *facts, struct err *err)
{
    if (reading->is_cancel_asked)
        reading->provider->expire(reading->portal, &reading->purchase);
    if (!reading->provider->read(reading->portal, &reading->purchase, facts, err)) {
        end_failed_read(reading, err);
        return false;
    }
    FAULT_POINT("read-done");
    return true;
}

enum reconcile_end reconcile_order(struct portal *portal, const char *account_id,
                                   const char *order_id, const char *session, int apart_s)
{
    scoped(facts_free) struct facts facts = { 0 };
    struct order_read reading = { .portal = portal, .account_id = account_id };
    struct err err = { 0 };
    enum read_result result = READ_FAILED;
    bool is_begun = false;
    snprintf(reading.purchase.order_id, sizeof(reading.purchase.order_id), "%s", order_id);
    bool ok = begin_order_read(session, apart_s, &reading, &is_begun, &err);
    if (ok && !is_begun)
        return RECONCILE_NOTHING;
    ok = ok && read_facts(&reading, &facts, &err) && apply_facts(&reading, &facts, &result, &err);
    if (!ok)
        log_failure(&reading, &err);
    counter_add(payments_counters(portal)->reads[ok ? result : READ_FAILED], 1);
    return ok ? RECONCILE_APPLIED : RECONCILE_FAILED;
}
