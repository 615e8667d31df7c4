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
    LAST_TRY_S = 31 * 60, /* before its end; Stripe makes no checkout that ends within 30 minutes */
};

/* An order as a page meets it. */
struct order {
    struct portal *portal;
    const struct buyer *buyer;
    const struct provider *provider; /* NULL: one that is not followed any more */
    char outcome[ORDER_WORD_BYTES];  /* of order_open() */
    char state[STATE_BYTES];
    struct purchase purchase;
    char url[ORDER_URL_BYTES]; /* where it is paid; "": nowhere yet */
    int64_t now_s;
    bool is_cancel_asked;
    bool is_test; /* no money moves at its checkout, or at the one that it would be given now */
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

static bool end(struct order_outcome *outcome, const char *word)
{
    snprintf(outcome->word, sizeof(outcome->word), "%s", word);
    return true;
}

static bool end_at(struct order_outcome *outcome, const char *url)
{
    snprintf(outcome->url, sizeof(outcome->url), "%s", url);
    return end(outcome, "pay");
}

/* ---- the database ---- */

static void take_row(const cJSON *row, struct order *order)
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
    take_row(row, order);
    order->provider = payments_processor(order->portal);
    return true;
}

/* *is_there: it is this account's. */
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
    take_row(row, order);
    return true;
}

/* ---- the processor, from a page ---- */

typedef void apart_run(void *context);

struct call {
    apart_run *run;
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

/* Call it on a thread of its own with an ordinary stack, since a page's is too small for TLS, and
 * wait for its end; no more than PLACES_OF_KIND at once. Errors: ERR_OVERLOADED, and it was not
 * called. */
static bool apart(struct portal *portal, apart_run *run, void *context, struct err *err)
{
    struct call call = { run, context };
    bool ok = payments_enter(portal, PLACE_ASKING);
    if (ok) {
        ok = call_in_thread(&call);
        payments_leave(portal, PLACE_ASKING);
    }
    return ok || err_set(err, ERR_OVERLOADED, "many people are buying at this moment");
}

/* ---- a checkout ---- */

struct creating {
    struct portal *portal;
    const struct purchase *purchase;
    struct checkout checkout;
    enum create_end end;
    struct err err;
};

static void create(void *context)
{
    struct creating *creating = context;
    const struct provider *provider = payments_processor(creating->portal);
    creating->end =
        provider->create(creating->portal, creating->purchase, &creating->checkout, &creating->err);
}

static void expire(void *context)
{
    struct creating *creating = context;
    struct purchase purchase = *creating->purchase;
    snprintf(purchase.session, sizeof(purchase.session), "%s", creating->checkout.session);
    payments_processor(creating->portal)->expire(creating->portal, &purchase);
}

/* Whoever cancelled it meanwhile must not be charged: then nobody pays at this checkout. */
static bool keep_checkout(const struct order *order, struct creating *creating,
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
        return end_at(outcome, checkout->url);
    return apart(creating->portal, expire, creating, err) && end(outcome, "look");
}

static bool fail_order(const struct order *order, const struct err *why,
                       struct order_outcome *outcome, struct err *err)
{
    scoped(json_free) cJSON *row = json_object();
    log_line(LOG_ERROR, "a payment page cannot be opened",
             log_str("order", order->purchase.order_id), log_str("why", why->message));
    return pool_row(order->portal->pool, "select order_fail($1, $2, $3) as state",
                    SQL_PARAMS(order->buyer->account_id, order->purchase.order_id, why->message),
                    row, err) &&
           end(outcome, "failed");
}

static bool make_checkout(const struct order *order, struct order_outcome *outcome, struct err *err)
{
    struct creating creating = { .portal = order->portal, .purchase = &order->purchase };
    if (!apart(creating.portal, create, &creating, err))
        return false;
    counter_add(payments_counters(creating.portal)->creates[creating.end], 1);
    switch (creating.end) {
    case CREATE_OPENED:
        return keep_checkout(order, &creating, outcome, err);
    case CREATE_REFUSED:
        return fail_order(order, &creating.err, outcome, err);
    case CREATE_NO_ANSWER:
        break;
    }
    log_line(LOG_WARN, "a payment page was not opened", log_str("order", order->purchase.order_id),
             log_str("why", creating.err.message));
    return end(outcome, "no_answer");
}

/* ---- what pages ask ---- */

static bool is_state(const struct order *order, const char *state)
{
    return strcmp(order->state, state) == 0;
}

/* To where it is paid, while it can be, and while that is where things are sold. */
static bool go_on(const struct order *order, struct order_outcome *outcome, struct err *err)
{
    int64_t left_s = order->purchase.expires_s - order->now_s;
    snprintf(outcome->order_id, sizeof(outcome->order_id), "%s", order->purchase.order_id);
    if (!order->provider || !payments_sell(order->portal, order->provider->name, order->is_test))
        return end(outcome, "look");
    if (is_state(order, "new") && left_s > LAST_TRY_S)
        return make_checkout(order, outcome, err);
    if (is_state(order, "open") && !order->is_cancel_asked && left_s > 0 && order->url[0])
        return end_at(outcome, order->url);
    return end(outcome, "look");
}

static bool is_outcome(const struct order *order, const char *word)
{
    return strcmp(order->outcome, word) == 0;
}

/* An open order of the same pack, which is gone back to, may have been paid in the meantime. */
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
        return end(outcome, "off");
    if (!is_pack(pack_id))
        return end(outcome, "not_sold");
    if (!uuid_parse(text_of(order_id), &id))
        return end(outcome, "taken");
    if (!open_or_reuse(&order, order_id, pack_id, err))
        return false;
    if (is_outcome(&order, "same")) /* which may be another provider's, of a form of before */
        return find_order(&order, order_id, &is_there, err) && go_on(&order, outcome, err);
    if (is_outcome(&order, "new") || is_outcome(&order, "reuse"))
        return go_on(&order, outcome, err);
    return end(outcome, order.outcome);
}

static bool find(struct order *order, const char *order_id, struct order_outcome *outcome,
                 bool *is_there, struct err *err)
{
    struct uuid id;
    *outcome = (struct order_outcome){ 0 };
    *is_there = false;
    if (!uuid_parse(text_of(order_id), &id))
        return end(outcome, "none");
    if (!find_order(order, order_id, is_there, err))
        return false;
    return *is_there || end(outcome, "none");
}

bool orders_pay(struct portal *portal, const struct buyer *buyer, const char *order_id,
                struct order_outcome *outcome, struct err *err)
{
    struct order order = { .portal = portal, .buyer = buyer };
    bool is_there;
    if (!find(&order, order_id, outcome, &is_there, err))
        return false;
    return !is_there || go_on(&order, outcome, err);
}

/* ---- looking ---- */

static bool waits(const struct order *order)
{
    return is_state(order, "open") || is_state(order, "processing");
}

struct looking {
    struct portal *portal;
    const char *account_id;
    const char *order_id;
    int apart_s;
};

static void look(void *context)
{
    const struct looking *looking = context;
    reconcile_order(looking->portal, looking->account_id, looking->order_id, NULL,
                    looking->apart_s);
}

/* Who finds no place looks at what the worker saw. */
static void look_apart(struct portal *portal, const char *account_id, const char *order_id,
                       int apart_s)
{
    struct looking looking = { portal, account_id, order_id, apart_s };
    struct err err = { 0 };
    if (!apart(portal, look, &looking, &err))
        log_line(LOG_WARN, "an order is not looked at", log_str("why", err.message));
}

bool orders_cancel(struct portal *portal, const struct buyer *buyer, const char *order_id,
                   struct order_outcome *outcome, struct err *err)
{
    scoped(json_free) cJSON *row = json_object();
    struct order order = { .portal = portal, .buyer = buyer };
    bool is_there;
    if (!find(&order, order_id, outcome, &is_there, err))
        return false;
    if (!is_there)
        return true;
    snprintf(outcome->order_id, sizeof(outcome->order_id), "%s", order.purchase.order_id);
    if (waits(&order) && /* nobody could end it there */
        (!order.provider || !payments_follow(portal, order.provider->name, order.is_test)))
        return end(outcome, "look");
    if (!pool_row(portal->pool, "select order_cancel($1, $2) as state",
                  SQL_PARAMS(buyer->account_id, order_id), row, err))
        return false;
    sql_copy(row, "state", order.state, sizeof(order.state));
    if (waits(&order))
        look_apart(portal, buyer->account_id, order_id, 0);
    return end(outcome, "look");
}

void orders_refresh(struct portal *portal, const char *account_id, const char *order_id)
{
    struct buyer buyer = { .account_id = account_id, .email = "" };
    struct order order = { .portal = portal, .buyer = &buyer };
    struct order_outcome outcome;
    struct err err = { 0 };
    bool is_there;
    if (!find(&order, order_id, &outcome, &is_there, &err) || !is_there)
        return;
    if (waits(&order))
        look_apart(portal, account_id, order_id, RECONCILE_APART_S);
}
