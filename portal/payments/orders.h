/*
 * portal/payments/orders.h - what the credits pages do with orders: buy a pack, pay, cancel,
 * refresh. Each may be repeated: an order is created once and paid once.
 *
 * Each may call the processor, which takes seconds and TLS. It does so on a separate thread, at
 * most 8 at the same time. The caller must not hold a database connection.
 */
#pragma once

#include <stdbool.h>

#include "base/codec/uuid.h"
#include "base/err.h"
#include "portal/base/portal.h"

struct buyer {
    const char *account_id;
    const char *member_id;
    const char *email;
};

enum { ORDER_WORD_BYTES = 16, ORDER_URL_BYTES = 2048 };

struct order_outcome {
    char word[ORDER_WORD_BYTES];    /* see below */
    char order_id[UUID_TEXT_BYTES]; /* may be an older order */
    char url[ORDER_URL_BYTES];      /* of `pay`: the processor's page, or a path of this portal */
};

/*
 * Buy a pack. The form made the order's id. Errors: the database's, ERR_OVERLOADED. Words:
 *
 *     pay        redirect to url
 *     look       the order exists and cannot be paid now: show it
 *     no_answer  the processor did not open a page; nothing was charged; retry the same order
 *     failed     the same, but the order has failed: a new one is needed
 *     not_sold   the pack is not for sale
 *     taken      the id is another account's order
 *     too_many   10 orders are unpaid
 *     suspended  closed
 *     none       (pay, cancel) the account does not have this order
 *     off        (buy) nothing is sold here (payments.provider: none)
 */
bool orders_buy(struct portal *portal, const struct buyer *buyer, const char *order_id,
                const char *pack_id, struct order_outcome *outcome, struct err *err) must_check;

/* Pay: the order's open checkout, or for a `new` order another attempt to create one. An order of a
 * provider that no longer sells, or of the other mode, is only shown. */
bool orders_pay(struct portal *portal, const struct buyer *buyer, const char *order_id,
                struct order_outcome *outcome, struct err *err) must_check;

/* Cancel: word is `look`, and the order's state has the result. An order that was paid meanwhile
 * stays paid. An open order whose provider has no key here stays open. */
bool orders_cancel(struct portal *portal, const struct buyer *buyer, const char *order_id,
                   struct order_outcome *outcome, struct err *err) must_check;

/* Read an open or processing order from the processor and apply the result to its row. Does nothing
 * if a read began within the last 5 s or is running. A failure is not an error: the page shows the
 * row as it is, and the worker reads it later. */
void orders_refresh(struct portal *portal, const char *account_id, const char *order_id);

/* Are payments tests: the provider `test`, or a Stripe test key? */
bool payments_are_test(const struct portal *portal);

/* Can an order of this provider and mode be paid here? Not if it was opened by another provider or
 * with a key of the other mode. */
bool payments_sell(const struct portal *portal, const char *provider, bool is_test);

/* Are orders of this provider and mode read here, even if it no longer sells? A key reads only
 * orders of the same mode. */
bool payments_follow(const struct portal *portal, const char *provider, bool is_test);
