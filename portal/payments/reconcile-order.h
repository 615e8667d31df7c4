/*
 * portal/payments/reconcile-order.h - look at one order: begin a read, ask the processor, apply
 * what it says. Nothing else makes a purchase of an order, or takes credits back.
 *
 * Whoever dies in between leaves a read that nobody applies; the order is due again.
 */
#pragma once

#include "portal/payments/payments.h"

enum reconcile_end {
    RECONCILE_APPLIED,
    RECONCILE_NOTHING, /* somebody else looks, or there is nothing to be asked */
    RECONCILE_FAILED,  /* the processor gave no facts, or the database did not take them: due again
                        */
};

/* For a page: not if somebody looked within so many seconds. */
enum { RECONCILE_APART_S = 5 };

/* session: where the order has none of its own, that of an event; NULL: none is known. apart_s: do
 * nothing if a look began so recently; 0: look in any case. On an ordinary stack. */
enum reconcile_end reconcile_order(struct portal *portal, const char *account_id,
                                   const char *order_id, const char *session, int apart_s);

/* Tell the operator of an order that has ended unread. */
void reconcile_log_abandoned(struct portal *portal, const char *account_id, const char *order_id,
                             const char *state);
