/* portal/credits/order.c - see order.h. */
#include "portal/credits/order.h"

#include <stdio.h>
#include <string.h>

#include "base/codec/uuid.h"
#include "base/table.h"
#include "portal/base/numbers.h"
#include "portal/base/times.h"
#include "portal/payments/orders.h"
#include "text/json.h"

enum {
    WORDS_BYTES = 400,
    MINUTE_S = 60,
    HOUR_S = 60 * MINUTE_S,
    LAST_TRY_S = 31 * MINUTE_S, /* the least time left to open the processor's page */
};

/* ---- states ---- */

static const struct state {
    const char *name;
    const char *words;
    const char *sentence; /* on the order's page; NULL: made from the order */
    bool is_waiting;
    bool is_bad;
} states[] = {
    { "new", "awaiting payment", "The payment page has not been opened. Nothing was charged.",
      false, false },
    { "open", "awaiting payment", "The payment is not confirmed yet.", true, false },
    { "processing", "payment processing",
      "Your payment is processing. You get the credits when it arrives.", true, false },
    { "paid", "paid", NULL, false, false },
    { "failed", "payment failed", "The payment failed. Nothing was charged.", false, true },
    { "expired", "expired", "The order was not paid in time. Nothing was charged.", false, true },
    { "cancelled", "cancelled", "The order was cancelled. Nothing was charged.", false, true },
    { "review", "being checked",
      "Your payment does not match the order. A person is checking it. You will get an email.",
      true, true },
    { "rejected", "not accepted", "The payment was not accepted, and no credits were added.", false,
      true },
};

static const struct state *state_of(const cJSON *row)
{
    const struct state *state = TABLE_FIND(states, json_text(row, "/state"));
    return state ? state : &states[0];
}

static bool is_state(const cJSON *row, const char *name)
{
    return strcmp(state_of(row)->name, name) == 0;
}

/* Abandoned: the outcome of the payment could not be read (order_abandon()). */
static bool is_unread(const cJSON *row)
{
    return is_state(row, "review") && !json_is(json_get(row, "total"), cJSON_Number);
}

static bool is_being_cancelled(const cJSON *row)
{
    return sql_is(row, "cancel_asked") && state_of(row)->is_waiting;
}

bool order_is_waiting(const cJSON *row)
{
    return state_of(row)->is_waiting;
}

/* ---- in words ---- */

static void add_time_left(int64_t left_s, struct buf *words)
{
    int64_t hours = left_s / HOUR_S;
    int64_t minutes = left_s / MINUTE_S;
    if (hours >= 2)
        buf_format(words, ", %lld hours left", (long long)hours);
    else if (minutes > 0)
        buf_format(words, ", %lld minute%s left", (long long)minutes, minutes == 1 ? "" : "s");
}

static void add_money(const cJSON *row, const char *name, const char *what, struct buf *words)
{
    char text[NUMBER_BYTES];
    if (json_integer(row, name) == 0)
        return;
    money_write(json_integer(row, name), json_text(row, "/currency"), text);
    buf_format(words, ", %s %s", text, what);
}

static void add_credits(const cJSON *row, const char *name, const char *what, struct buf *words)
{
    char text[NUMBER_BYTES];
    if (json_integer(row, name) == 0)
        return;
    credits_write(json_integer(row, name), text);
    buf_format(words, ", %s %s", text, what);
}

/* "paid, 2.50 USD refunded, 125 credits deducted" */
static void write_state(const cJSON *row, struct buf *words)
{
    buf_add_str(words, is_being_cancelled(row) ? "being cancelled" : state_of(row)->words);
    if (is_state(row, "open") && !is_being_cancelled(row))
        add_time_left(json_integer(row, "left_s"), words);
    add_money(row, "refunded", "refunded", words);
    add_money(row, "disputed", "disputed", words);
    add_credits(row, "reversed", "deducted", words);
    add_credits(row, "owed", "owed", words);
}

static bool is_taken_back(const cJSON *row)
{
    return json_integer(row, "reversed") > 0 || json_integer(row, "owed") > 0;
}

static void add_sentence(const cJSON *row, cJSON *model)
{
    char credits[NUMBER_BYTES];
    char words[WORDS_BYTES];
    int64_t bought = json_integer(row, "credits");
    const struct state *state = state_of(row);
    credits_write(bought, credits);
    snprintf(words, sizeof(words), "Paid: %s %s in your account.", credits,
             bought == 1 ? "is" : "are");
    json_str(model, "sentence",
             is_being_cancelled(row) ? "The order is being cancelled."
             : is_taken_back(row)
                 ? "Paid. Credits were deducted later because of a refund or dispute."
             : is_unread(row)  ? "It is not known whether your payment arrived. A person is "
                                 "checking it. You will get an email."
             : state->sentence ? state->sentence
                               : words);
}

/* ---- the model ---- */

/* What was paid, with tax; before, and if no payment is known, the price without tax. */
static int64_t amount_of(const cJSON *row)
{
    int64_t total = is_state(row, "paid") ? json_integer(row, "total") : 0;
    return total > 0 ? total : json_integer(row, "amount");
}

/* Is it a test order? Before it has a checkout, the portal's configuration decides. */
static bool is_test(const struct portal *portal, const cJSON *row)
{
    const cJSON *told = json_get(row, "is_test");
    return json_is(told, cJSON_True) || (!json_is(told, cJSON_False) && payments_are_test(portal));
}

static const char *pay_words(const struct portal *portal, const cJSON *row)
{
    int64_t left_s = json_integer(row, "left_s");
    if (is_being_cancelled(row) ||
        !payments_sell(portal, json_text(row, "/provider"), is_test(portal, row)))
        return NULL;
    if (is_state(row, "open"))
        return left_s > 0 ? "Pay" : NULL;
    return is_state(row, "new") && left_s > LAST_TRY_S ? "Try again" : NULL;
}

/* A checkout can be expired only with its provider's key. */
static bool is_cancellable(const struct portal *portal, const cJSON *row)
{
    return is_state(row, "new") ||
           (is_state(row, "open") && !is_being_cancelled(row) &&
            payments_follow(portal, json_text(row, "/provider"), is_test(portal, row)));
}

void order_add(const struct portal *portal, const cJSON *row, cJSON *model)
{
    scoped(buf_free) struct buf words = BUF(WORDS_BYTES);
    char text[NUMBER_BYTES];
    char day[DAY_BYTES];
    bool is_paid = is_state(row, "paid");
    json_str(model, "order_id", json_text(row, "/order_id"));
    json_int(model, "number", json_integer(row, "number"));
    json_str(model, "pack", json_text(row, "/pack"));
    number_add(model, "credits", json_integer(row, "credits"));
    credits_add(model, "credits_words", json_integer(row, "credits"));
    money_write(json_integer(row, "amount"), json_text(row, "/currency"), text);
    json_str(model, "price", text);
    money_write(amount_of(row), json_text(row, "/currency"), text);
    json_str(model, "amount", text);
    time_add(model, "ordered", json_text(row, "/created_at"));
    snprintf(day, sizeof(day), "%s", json_text(row, "/created_at"));
    json_str(model, "day", day);
    time_add(model, "paid", json_text(row, "/paid_at"));
    json_str(model, "state", state_of(row)->name);
    write_state(row, &words);
    json_str(model, "state_words", buf_str(&words));
    add_sentence(row, model);
    json_bool(model, "is_good", is_paid && !is_taken_back(row));
    json_bool(model, "is_bad", state_of(row)->is_bad);
    json_bool(model, "is_waiting", state_of(row)->is_waiting);
    json_bool(model, "is_test", is_test(portal, row));
    json_str(model, "pay_words", pay_words(portal, row));
    json_bool(model, "is_cancellable", is_cancellable(portal, row));
    json_bool(model, "has_receipt", is_paid);
    json_str(model, "invoice_id", json_text(row, "/invoice_id"));
}

/* ---- finding an order ---- */

bool order_find(struct visit *visit, cJSON *row, struct err *err)
{
    static const char statement[] = "select " ORDER_COLUMNS " from " ORDER_TABLES
                                    " where o.account_id = $1 and o.order_id = $2";
    struct uuid id;
    if (!uuid_parse(text_of(visit->place[0]), &id))
        return true;
    return pool_row(visit->portal->pool, statement,
                    SQL_PARAMS(visit->session.account_id, visit->place[0]), row, err);
}
