/* portal/payments/reconcile-order.c - see reconcile-order.h. */
#include "portal/payments/reconcile-order.h"

#include <stdio.h>
#include <string.h>

#include "base/os/fault.h"
#include "base/os/log.h"

enum { NUMBER_BYTES = 24, FACTS_MAX_BYTES = 16 << 10 };

/* One look under way. */
struct look {
    struct portal *portal;
    const struct provider *provider;
    const char *account_id;
    struct purchase purchase;
    bool is_cancel_asked; /* and its checkout is open */
    char number[NUMBER_BYTES];
};

/* ---- begin ---- */

static const char row_sql[] =
    "select provider, coalesce(session_ref, $3) as session, credits, amount, currency,"
    "       floor(extract(epoch from expires_at))::bigint as expires_s,"
    "       cancel_asked and state = 'open' as cancel_asked,"
    "       $4::integer > 0 and coalesce(read_at > ledger_now() - interval '1 s' * $4::integer, "
    "false)"
    "           as is_recent"
    "  from purchase_order where account_id = $1 and order_id = $2";

/* Into the look; false: there is nothing to be asked. */
static bool take_row(const cJSON *row, struct look *look)
{
    struct purchase *purchase = &look->purchase;
    const char *provider = json_text(row, "/provider");
    const char *session = json_text(row, "/session");
    const char *currency = json_text(row, "/currency");
    look->provider = provider ? payments_find(look->portal, provider) : NULL;
    if (!look->provider || !session || !currency || sql_is(row, "is_recent"))
        return false;
    snprintf(purchase->session, sizeof(purchase->session), "%s", session);
    snprintf(purchase->currency, sizeof(purchase->currency), "%.3s", currency);
    purchase->credits = json_integer(row, "credits");
    purchase->amount = json_integer(row, "amount");
    purchase->expires_s = json_integer(row, "expires_s");
    look->is_cancel_asked = sql_is(row, "cancel_asked");
    return true;
}

static bool read_row(struct sql *sql, const char *session, int apart_s, struct look *look,
                     bool *is_there, struct err *err)
{
    scoped(json_free) cJSON *row = json_object();
    char seconds[NUMBER_BYTES];
    snprintf(seconds, sizeof(seconds), "%d", apart_s);
    if (!sql_row(sql, row_sql,
                 SQL_PARAMS(look->account_id, look->purchase.order_id, session, seconds), row, err))
        return false;
    *is_there = take_row(row, look);
    return true;
}

/* *is_begun: nobody else reads it. */
static bool begin_read(struct sql *sql, struct look *look, bool *is_begun, struct err *err)
{
    scoped(json_free) cJSON *row = json_object();
    if (!sql_row(sql, "select payment_begin($1, $2)::text as number",
                 SQL_PARAMS(look->account_id, look->purchase.order_id), row, err))
        return false;
    sql_copy(row, "number", look->number, sizeof(look->number));
    *is_begun = look->number[0] != '\0';
    return true;
}

static bool begin(const char *session, int apart_s, struct look *look, bool *is_begun,
                  struct err *err)
{
    scoped(pool_give) struct sql *sql = NULL;
    bool is_there = false;
    return pool_take(look->portal->pool, &sql, err) &&
           read_row(sql, session, apart_s, look, &is_there, err) &&
           (!is_there || begin_read(sql, look, is_begun, err));
}

/* ---- apply ---- */

static bool apply(struct sql *sql, const struct look *look, const char *facts, cJSON *row,
                  struct err *err)
{
    bool ok = sql_begin(sql, SQL_WRITE, err) &&
              sql_row(sql, "select payment_apply($1, $2, $3::bigint, $4::jsonb) as state",
                      SQL_PARAMS(look->account_id, look->purchase.order_id, look->number, facts),
                      row, err);
    FAULT_POINT("before-apply-commit");
    return ok && sql_commit(sql, err);
}

/* What was told before this read began is answered by it. */
static bool end_events(struct sql *sql, const struct look *look, struct err *err)
{
    scoped(json_free) cJSON *row = json_object();
    return sql_row(sql, "select payment_events_done($1, $2::bigint) as events",
                   SQL_PARAMS(look->purchase.order_id, look->number), row, err);
}

static bool apply_facts(const struct look *look, const struct facts *facts,
                        enum read_result *result, struct err *err)
{
    scoped(buf_free) struct buf text = BUF(FACTS_MAX_BYTES);
    scoped(json_free) cJSON *row = json_object();
    struct portal *portal = look->portal;
    scoped(pool_give) struct sql *sql = NULL;
    bool is_live = payments_are_live(look->portal, look->provider);
    facts_print(facts, is_live, !is_live, &text);
    bool ok = pool_take(portal->pool, &sql, err) && apply(sql, look, buf_str(&text), row, err);
    const char *state = json_text(row, "/state");
    if (ok) {
        FAULT_POINT("after-apply");
        *result = state && strcmp(state, "stale") != 0 ? READ_APPLIED : READ_STALE;
        ok = *result == READ_STALE || end_events(sql, look, err);
        log_line(LOG_INFO, "an order was read", log_str("account", look->account_id),
                 log_str("order", look->purchase.order_id), log_str("state", state));
    }
    return ok;
}

/* ---- or not ---- */

void reconcile_log_abandoned(struct portal *portal, const char *account_id, const char *order_id,
                             const char *state)
{
    counter_add(payments_counters(portal)->given_up, 1);
    log_line(LOG_WARN, "an order is given up: nobody could read it for three days",
             log_str("account", account_id), log_str("order", order_id), log_str("state", state));
}

/* Let go of it, and say why: it is tried again, later each time, for three days. */
static void miss(const struct look *look, const struct err *why)
{
    scoped(json_free) cJSON *row = json_object();
    struct err err = { 0 };
    bool ok =
        pool_row(look->portal->pool, "select payment_missed($1, $2, $3::bigint, $4) as given_up",
                 SQL_PARAMS(look->account_id, look->purchase.order_id, look->number, why->message),
                 row, &err);
    const char *state = json_text(row, "/given_up");
    if (!ok) /* its lease ends by itself */
        log_line(LOG_WARN, "a read that failed is not noted", log_str("why", err.message));
    else if (state)
        reconcile_log_abandoned(look->portal, look->account_id, look->purchase.order_id, state);
}

static void tell(const struct look *look, const struct err *err)
{
    log_line(LOG_WARN, "an order cannot be read", log_str("account", look->account_id),
             log_str("order", look->purchase.order_id), log_str("why", err->message));
}

/* ---- all of it ---- */

static bool ask(struct look *look, struct facts *facts, struct err *err)
{
    if (look->is_cancel_asked)
        look->provider->expire(look->portal, &look->purchase);
    if (!look->provider->read(look->portal, &look->purchase, facts, err)) {
        miss(look, err);
        return false;
    }
    FAULT_POINT("read-done");
    return true;
}

enum reconcile_end reconcile_order(struct portal *portal, const char *account_id,
                                   const char *order_id, const char *session, int apart_s)
{
    scoped(facts_free) struct facts facts = { 0 };
    struct look look = { .portal = portal, .account_id = account_id };
    struct err err = { 0 };
    enum read_result result = READ_FAILED;
    bool is_begun = false;
    snprintf(look.purchase.order_id, sizeof(look.purchase.order_id), "%s", order_id);
    bool ok = begin(session, apart_s, &look, &is_begun, &err);
    if (ok && !is_begun)
        return RECONCILE_NOTHING;
    ok = ok && ask(&look, &facts, &err) && apply_facts(&look, &facts, &result, &err);
    if (!ok)
        tell(&look, &err);
    counter_add(payments_counters(portal)->reads[ok ? result : READ_FAILED], 1);
    return ok ? RECONCILE_APPLIED : RECONCILE_FAILED;
}
