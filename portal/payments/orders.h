/*
 * portal/payments/orders.h - what the pages of credits ask for: buy a pack, pay for an order, give
 * one up, look again. All of it may be asked twice: an order is made once, and paid once.
 *
 * Each may ask the processor, which takes seconds: on a thread of its own, since it is TLS, and
 * with no more than eight of them at once. Nobody may hold a connection to the database meanwhile.
 */
#pragma once

#include <stdbool.h>

#include "base/codec/uuid.h"
#include "base/err.h"
#include "portal/base/portal.h"

/* Who buys. */
struct buyer {
    const char *account_id;
    const char *member_id;
    const char *email;
};

enum { ORDER_WORD_BYTES = 16, ORDER_URL_BYTES = 2048 };

/* What became of it. */
struct order_outcome {
    char word[ORDER_WORD_BYTES];    /* see below */
    char order_id[UUID_TEXT_BYTES]; /* the order that it is about, which may be an older one */
    char url[ORDER_URL_BYTES];      /* of pay: where to pay, of the processor or a path of ours */
};

/*
 * Buy a pack with an order id that the form made. Errors: the database's, ERR_OVERLOADED. Words:
 *
 *     pay        go to url
 *     look       the order was begun earlier and is no longer to be paid: show it
 *     no_answer  the processor did not open its page, nothing was charged; it may be tried again
 *     failed     the same, but this order is over: a new one is needed
 *     not_sold  taken  too_many  suspended  closed
 *     none       (pay, cancel) there is no such order of this account
 *     off        (buy) there is no processor (payments.provider is none)
 */
bool orders_buy(struct portal *portal, const struct buyer *buyer, const char *order_id,
                const char *pack_id, struct order_outcome *outcome, struct err *err) must_check;

/* The checkout of an order, the same one while it lives; for one that is new, tried again. That of
 * a provider that sells no more, or of a key of the other mode, is only looked at. */
bool orders_pay(struct portal *portal, const struct buyer *buyer, const char *order_id,
                struct order_outcome *outcome, struct err *err) must_check;

/* Give it up: word is `look`, and the order's own state tells. What was paid by then stays paid,
 * and what is open where no key of ours asks any more stays open. */
bool orders_cancel(struct portal *portal, const struct buyer *buyer, const char *order_id,
                   struct order_outcome *outcome, struct err *err) must_check;

/* Ask the processor how it stands, unless that was done within five seconds, is being done, or
 * there is nothing to ask; the order's row then has it. That it does not answer is no error: the
 * worker asks again. Errors: none that the page would tell; it shows the row as it is. */
void orders_refresh(struct portal *portal, const char *account_id, const char *order_id);

/* Is no money moved here (provider test, or a test key of Stripe's)? */
bool payments_are_test(const struct portal *portal);

/* Is what this provider has opened paid here, for tests or for money? Not what was opened when
 * another sold, or the other kind of key was here. */
bool payments_sell(const struct portal *portal, const char *provider, bool is_test);

/* Is what this provider has opened, for tests or for money, looked at, whether it still sells or
 * not? A key reads what was opened by one of its own mode. */
bool payments_follow(const struct portal *portal, const char *provider, bool is_test);
