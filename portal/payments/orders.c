/* portal/payments/orders.c - see orders.h. */
#include "portal/payments/orders.h"

#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "base/num.h"
#include "base/os/clock.h"
#include "base/os/fault.h"
#include "base/os/log.h"
#include "portal/payments/payments.h"
#include "portal/payments/reconcile-order.h"

enum {
    NUMBER_BYTES = 24,
    STATE_BYTES = 16,
    STACK_BYTES = 512 << 10,
    LAST_TRY_S = 31 * 60, /* before expiry: Stripe's checkouts last at least 30 minutes */
};

struct order {
    struct portal *portal;
    const struct buyer *buyer;
    const struct provider *provider; /* NULL: no longer followed */
    char outcome[ORDER_WORD_BYTES];  /* of order_open() */
    char state[STATE_BYTES];
    struct purchase purchase;
    char url[ORDER_URL_BYTES]; /* of its checkout; "": it does not have one yet */
    int64_t now_s;
    bool is_cancel_asked;
    bool is_test; /* of its checkout, or of the one that it would get now */
};

static_assert((int)ORDER_URL_BYTES >= (int)CHECKOUT_URL_BYTES, "an outcome holds any checkout");

/* ---- what is configured ---- */

bool payments_are_test(const struct portal *portal)
{
    const struct provider *provider = payments_processor(portal);
    return provider && !payments_are_live(portal, provider);
}

bool payments_sell(const struct portal *portal, const char *provider, bool is_test)
{
    return strcmp(portal_provider(portal), provider) == 0 && payments_are_test(portal) == is_test;
}

bool payments_follow(const struct portal *portal, const char *provider, bool is_test)
{
    const struct provider *found = payments_find(portal, provider);
    return found && payments_are_live(portal, found) != is_test;
}

/* ---- outcomes ---- */

static bool set_outcome(struct order_outcome *outcome, const char *word)
{
    snprintf(outcome->word, sizeof(outcome->word), "%s", word);
    return true;
}

static bool set_pay_url(struct order_outcome *outcome, const char *url)
{
    snprintf(outcome->url, sizeof(outcome->url), "%s", url);
    return set_outcome(outcome, "pay");
}

/* ---- the database ---- */

static void read_order_row(const cJSON *row, struct order *order)
{
    struct purchase *purchase = &order->purchase;
    const cJSON *is_test = json_get(row, "is_test");
    sql_copy(row, "outcome", order->outcome, sizeof(order->outcome));
    sql_copy(row, "state", order->state, sizeof(order->state));
    sql_copy(row, "order_id", purchase->order_id, sizeof(purchase->order_id));
    sql_copy(row, "session_ref", purchase->session, sizeof(purchase->session));
    sql_copy(row, "currency", purchase->currency, sizeof(purchase->currency));
    sql_copy(row, "checkout_url", order->url, sizeof(order->url));
    purchase->credits = json_integer(row, "credits");
    purchase->amount = json_integer(row, "amount");
    purchase->expires_s = json_integer(row, "expires_s");
    purchase->account_id = order->buyer->account_id;
    purchase->email = order->buyer->email;
    order->now_s = json_integer(row, "now_s");
    order->is_cancel_asked = sql_is(row, "cancel_asked");
    order->is_test = json_is(is_test, cJSON_True) ||
                     (!json_is(is_test, cJSON_False) && payments_are_test(order->portal));
}

#define TIMES                                                     \
    "floor(extract(epoch from expires_at))::bigint as expires_s," \
    " floor(extract(epoch from ledger_now()))::bigint as now_s"

static bool open_order(struct order *order, const char *order_id, const char *pack_id,
                       struct err *err)
{
    scoped(json_free) cJSON *row = json_object();
    const struct buyer *buyer = order->buyer;
    char ttl[NUMBER_BYTES];
    snprintf(ttl, sizeof(ttl), "%lld", (long long)payments_ttl_s(order->portal));
    if (!pool_row(order->portal->pool,
                  "select *, $7::boolean as is_test, " TIMES
                  "  from order_open($1, $2, $3, $4::smallint, $5, $6::integer, $7::boolean)",
                  SQL_PARAMS(buyer->account_id, order_id, buyer->member_id, pack_id,
                             portal_provider(order->portal), ttl,
                             payments_are_test(order->portal) ? "true" : "false"),
                  row, err))
        return false;
    read_order_row(row, order);
    order->provider = payments_processor(order->portal);
    return true;
}

/* *is_there: the account has this order. */
static bool find_order(struct order *order, const char *order_id, bool *is_there, struct err *err)
{
    scoped(json_free) cJSON *row = json_object();
    if (!pool_row(order->portal->pool,
                  "select order_id, provider, state, session_ref, credits, amount, currency,"
                  "       checkout_url, cancel_asked, order_is_test(o) as is_test, " TIMES
                  "  from purchase_order o where account_id = $1 and order_id = $2",
                  SQL_PARAMS(order->buyer->account_id, order_id), row, err))
        return false;
    const char *provider = json_text(row, "/provider");
    *is_there = provider != NULL;
    order->provider = provider ? payments_find(order->portal, provider) : NULL;
    read_order_row(row, order);
    return true;
}

/* ---- the processor, from a page ---- */

typedef void thread_function(void *context);

struct call {
    thread_function *run;
    void *context;
};

static void *thread_main(void *argument)
{
    const struct call *call = argument;
    call->run(call->context);
    return NULL;
}

static bool call_in_thread(struct call *call)
{
    pthread_attr_t attributes;
    pthread_t thread;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, STACK_BYTES);
    bool ok = pthread_create(&thread, &attributes, thread_main, call) == 0;
    pthread_attr_destroy(&attributes);
    if (ok)
        pthread_join(thread, NULL);
    return ok;
}

/* Run a function on a new thread with an ordinary stack, and wait for it: a page's stack is too
 * small for TLS. At most PLACES_OF_KIND run at the same time. Errors: ERR_OVERLOADED; then the
 * function was not called. */
static bool run_on_thread(struct portal *portal, thread_function *run, void *context,
                          struct err *err)
{
    struct call call = { run, context };
    bool ok = payments_enter(portal, PLACE_ASKING);
    if (ok) {
        ok = call_in_thread(&call);
        payments_leave(portal, PLACE_ASKING);
    }
    return ok || err_set(err, ERR_OVERLOADED, "too many people are buying at the moment");
}

/* ---- a checkout ---- */

struct creating {
    struct portal *portal;
    const struct purchase *purchase;
    struct checkout checkout;
    enum create_end end;
    struct err err;
};

static void create_checkout(void *context)
{
    struct creating *creating = context;
    const struct provider *provider = payments_processor(creating->portal);
    creating->end =
        provider->create(creating->portal, creating->purchase, &creating->checkout, &creating->err);
}

static void expire_checkout(void *context)
{
    struct creating *creating = context;
    struct purchase purchase = *creating->purchase;
    snprintf(purchase.session, sizeof(purchase.session), "%s", creating->checkout.session);
    payments_processor(creating->portal)->expire(creating->portal, &purchase);
}

/* Store the checkout. If the member cancelled the order meanwhile, expire the checkout instead, so
 * that nobody pays there. */
static bool store_checkout(const struct order *order, struct creating *creating,
                           struct order_outcome *outcome, struct err *err)
{
    scoped(json_free) cJSON *row = json_object();
    char expires[NUMBER_BYTES];
    const struct checkout *checkout = &creating->checkout;
    snprintf(expires, sizeof(expires), "%lld", (long long)checkout->expires_s);
    FAULT_POINT("session-made");
    if (!pool_row(order->portal->pool,
                  "select order_session($1, $2, $3, $4, to_timestamp($5::bigint)) as is_kept",
                  SQL_PARAMS(order->buyer->account_id, order->purchase.order_id, checkout->session,
                             checkout->url, expires),
                  row, err))
        return false;
    if (sql_is(row, "is_kept"))
        return set_pay_url(outcome, checkout->url);
    return run_on_thread(creating->portal, expire_checkout, creating, err) &&
           set_outcome(outcome, "look");
}

static bool fail_order(const struct order *order, const struct err *why,
                       struct order_outcome *outcome, struct err *err)
{
    scoped(json_free) cJSON *row = json_object();
    log_line(LOG_ERROR, "a payment page cannot be opened",
             log_str("order_id", order->purchase.order_id), log_str("error", why->message));
    return pool_row(order->portal->pool, "select order_fail($1, $2, $3) as state",
                    SQL_PARAMS(order->buyer->account_id, order->purchase.order_id, why->message),
                    row, err) &&
           set_outcome(outcome, "failed");
}

static bool make_checkout(const struct order *order, struct order_outcome *outcome, struct err *err)
{
    struct creating creating = { .portal = order->portal, .purchase = &order->purchase };
    if (!run_on_thread(creating.portal, create_checkout, &creating, err))
        return false;
    counter_add(payments_counters(creating.portal)->creates[creating.end], 1);
    switch (creating.end) {
    case CREATE_OPENED:
        return store_checkout(order, &creating, outcome, err);
    case CREATE_REJECTED:
        return fail_order(order, &creating.err, outcome, err);
    case CREATE_NO_ANSWER:
        break;
    }
    log_line(LOG_WARN, "payment page not opened", log_str("order_id", order->purchase.order_id),
             log_str("error", creating.err.message));
    return set_outcome(outcome, "no_answer");
}

/* ---- for the pages ---- */

static bool is_state(const struct order *order, const char *state)
{
    return strcmp(order->state, state) == 0;
}

/* Continue to the payment page if the order can be paid and its provider sells; else show it. */
static bool continue_order(const struct order *order, struct order_outcome *outcome,
                           struct err *err)
{
    int64_t left_s = order->purchase.expires_s - order->now_s;
    snprintf(outcome->order_id, sizeof(outcome->order_id), "%s", order->purchase.order_id);
    if (!order->provider || !payments_sell(order->portal, order->provider->name, order->is_test))
        return set_outcome(outcome, "look");
    if (order->is_cancel_asked)
        return set_outcome(outcome, "look");
    if (is_state(order, "new") && left_s > LAST_TRY_S)
        return make_checkout(order, outcome, err);
    if (is_state(order, "open") && left_s > 0 && order->url[0])
        return set_pay_url(outcome, order->url);
    return set_outcome(outcome, "look");
}

static bool is_outcome(const struct order *order, const char *word)
{
    return strcmp(order->outcome, word) == 0;
}

/* An open order of the same pack is used again. It may have been paid meanwhile, so read it first.
 */
static bool open_or_reuse(struct order *order, const char *order_id, const char *pack_id,
                          struct err *err)
{
    if (!open_order(order, order_id, pack_id, err))
        return false;
    if (!is_outcome(order, "reuse"))
        return true;
    orders_refresh(order->portal, order->buyer->account_id, order->purchase.order_id);
    return open_order(order, order_id, pack_id, err);
}

static bool is_pack(const char *pack_id)
{
    int64_t number;
    return num_parse(text_of(pack_id), INT16_MAX, &number);
}

bool orders_buy(struct portal *portal, const struct buyer *buyer, const char *order_id,
                const char *pack_id, struct order_outcome *outcome, struct err *err)
{
    struct order order = { .portal = portal, .buyer = buyer };
    struct uuid id;
    bool is_there;
    *outcome = (struct order_outcome){ 0 };
    if (!portal_sells(portal))
        return set_outcome(outcome, "off");
    if (!is_pack(pack_id))
        return set_outcome(outcome, "not_sold");
    if (!uuid_parse(text_of(order_id), &id))
        return set_outcome(outcome, "taken");
    if (!open_or_reuse(&order, order_id, pack_id, err))
        return false;
    if (is_outcome(&order, "same")) /* an old form's order may belong to another provider */
        return find_order(&order, order_id, &is_there, err) && continue_order(&order, outcome, err);
    if (is_outcome(&order, "new") || is_outcome(&order, "reuse"))
        return continue_order(&order, outcome, err);
    return set_outcome(outcome, order.outcome);
}

static bool find_own_order(struct order *order, const char *order_id, struct order_outcome *outcome,
                           bool *is_there, struct err *err)
{
    struct uuid id;
    *outcome = (struct order_outcome){ 0 };
    *is_there = false;
    if (!uuid_parse(text_of(order_id), &id))
        return set_outcome(outcome, "none");
    if (!find_order(order, order_id, is_there, err))
        return false;
    return *is_there || set_outcome(outcome, "none");
}

bool orders_pay(struct portal *portal, const struct buyer *buyer, const char *order_id,
                struct order_outcome *outcome, struct err *err)
{
    struct order order = { .portal = portal, .buyer = buyer };
    bool is_there;
    if (!find_own_order(&order, order_id, outcome, &is_there, err))
        return false;
    return !is_there || continue_order(&order, outcome, err);
}

/* ---- reading ---- */

static bool is_waiting(const struct order *order)
{
    return is_state(order, "open") || is_state(order, "processing");
}

struct order_query {
    struct portal *portal;
    const char *account_id;
    const char *order_id;
    int apart_s;
};

static void query_order(void *context)
{
    const struct order_query *query = context;
    reconcile_order(query->portal, query->account_id, query->order_id, NULL, query->apart_s);
}

/* If all places are taken, the worker reads the order later. */
static void query_order_on_thread(struct portal *portal, const char *account_id,
                                  const char *order_id, int apart_s)
{
    struct order_query query = { portal, account_id, order_id, apart_s };
    struct err err = { 0 };
    if (!run_on_thread(portal, query_order, &query, &err))
        log_line(LOG_WARN, "order not read", log_str("error", err.message));
}

bool orders_cancel(struct portal *portal, const struct buyer *buyer, const char *order_id,
                   struct order_outcome *outcome, struct err *err)
{
    scoped(json_free) cJSON *row = json_object();
    struct order order = { .portal = portal, .buyer = buyer };
    bool is_there;
    if (!find_own_order(&order, order_id, outcome, &is_there, err))
        return false;
    if (!is_there)
        return true;
    snprintf(outcome->order_id, sizeof(outcome->order_id), "%s", order.purchase.order_id);
    if (is_waiting(&order) && /* its checkout cannot be expired without its key */
        (!order.provider || !payments_follow(portal, order.provider->name, order.is_test)))
        return set_outcome(outcome, "look");
    if (!pool_row(portal->pool, "select order_cancel($1, $2) as state",
                  SQL_PARAMS(buyer->account_id, order_id), row, err))
        return false;
    sql_copy(row, "state", order.state, sizeof(order.state));
    if (is_waiting(&order))
        query_order_on_thread(portal, buyer->account_id, order_id, 0);
    return set_outcome(outcome, "look");
}

void orders_refresh(struct portal *portal, const char *account_id, const char *order_id)
{
    struct buyer buyer = { .account_id = account_id, .email = "" };
    struct order order = { .portal = portal, .buyer = &buyer };
    struct order_outcome outcome;
    struct err err = { 0 };
    bool is_there;
    if (!find_own_order(&order, order_id, &outcome, &is_there, &err) || !is_there)
        return;
    if (is_waiting(&order))
        query_order_on_thread(portal, account_id, order_id, RECONCILE_APART_S);
}
