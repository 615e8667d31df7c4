/*
 * portal/credits/order.h - a row of purchase_order as pages show it, in words.
 */
#pragma once

#include "portal/page/visit.h"

/* What order_add() reads, and of what. */
#define ORDER_COLUMNS                                                                           \
    "o.order_id, o.number, o.credits, o.amount, o.currency, o.provider, o.state, o.created_at," \
    " o.paid_at, o.total, o.refunded, o.disputed, o.reversed, o.owed, o.payment_ref, "          \
    "o.receipt::json,"                                                                          \
    " o.cancel_asked, p.name as pack, (o.facts ->> 'tax')::bigint as tax,"                      \
    " order_is_test(o) as is_test,"                                                             \
    " floor(extract(epoch from o.expires_at - ledger_now()))::bigint as left_s"
#define ORDER_TABLES "purchase_order o left join pack p using (pack_id)"

/*
 * Add to a model, of a row: order_id, number, pack, credits, credits_words, price, ordered and paid
 * (pages/parts/time.html), day (when it was ordered), state, state_words (what became of the money,
 * too), sentence, is_good, is_bad, is_waiting (it may change by itself), pay_words (its button;
 * missing: it cannot be paid), is_cancellable, has_receipt, is_test (no money moves). What is of a
 * provider, or of a mode, that sells no more cannot be paid, and what no key of ours reads cannot
 * be given up.
 */
void order_add(const struct portal *portal, const cJSON *row, cJSON *model);

/* May asking the processor tell something new? */
bool order_is_waiting(const cJSON *row);

/* The account's order at the path's first place, in one look. *row stays empty when there is none.
 * Errors: the database's. */
bool order_find(struct visit *visit, cJSON *row, struct err *err) must_check;
