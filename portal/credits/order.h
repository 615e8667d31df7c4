/*
 * portal/credits/order.h - a row of purchase_order in words, for pages.
 */
#pragma once

#include "portal/page/visit.h"

/* The columns and tables that order_add() needs. */
#define ORDER_COLUMNS                                                                           \
    "o.order_id, o.number, o.credits, o.amount, o.currency, o.provider, o.state, o.created_at," \
    " o.paid_at, o.total, o.refunded, o.disputed, o.reversed, o.owed, o.payment_ref, "          \
    "o.receipt::json,"                                                                          \
    " o.cancel_asked, p.name as pack, (o.facts ->> 'tax')::bigint as tax,"                      \
    " order_is_test(o) as is_test,"                                                             \
    " (select i.invoice_id from invoice i where i.account_id = o.account_id"                    \
    "     and i.order_id = o.order_id and i.kind = 'invoice' and i.reason in ('paid', "         \
    "'corrected')"                                                                              \
    "   order by i.step desc limit 1) as invoice_id,"                                           \
    " floor(extract(epoch from o.expires_at - ledger_now()))::bigint as left_s"
#define ORDER_TABLES "purchase_order o left join pack p using (pack_id)"

/*
 * Add an order to a model: order_id, number, pack, credits, credits_words, price (without tax),
 * amount (with tax once it is paid), ordered and paid (pages/parts/time.html), day (when it was
 * ordered), state, state_words (with refunds), sentence, is_good, is_bad, is_waiting (the state may
 * change without the member), pay_words (its button; missing: it cannot be paid), is_cancellable,
 * has_receipt, invoice_id (the newest invoice), is_test (no money moves). An order of a provider or
 * mode that no longer sells cannot be paid. An order that no key can read cannot be cancelled.
 */
void order_add(const struct portal *portal, const cJSON *row, cJSON *model);

/* May its state at the processor have changed? */
bool order_is_waiting(const cJSON *row);

/* Find the account's order of the path, and read it in one query. *row stays empty if it does not
 * exist. Errors: the database's. */
bool order_find(struct visit *visit, cJSON *row, struct err *err) must_check;
