/*
 * portal/payments/reconcile-order.h - read one order from the processor, and apply the result:
 *
 *     1. payment_begin() numbers the read and leases the order
 *     2. the provider reads the order's facts
 *     3. payment_apply() moves the order and the ledger to these facts
 *     4. payment_events_done() ends the events that this read has seen
 *
 * Nothing else credits an order, or takes its credits back. After a crash the lease expires and the
 * order is due again.
 */
#pragma once

#include "portal/payments/payments.h"

enum reconcile_end {
    RECONCILE_APPLIED,
    RECONCILE_NOTHING, /* another read is running, or there is nothing to read */
    RECONCILE_FAILED,  /* the processor or the database failed: the order is due again */
};

/* For a page: the least time between two reads. */
enum { RECONCILE_APART_S = 5 };

/* session: the checkout that an event names, for an order that has none; or NULL. apart_s: do
 * nothing if a read began within this time; 0: always read. Needs an ordinary stack. */
enum reconcile_end reconcile_order(struct portal *portal, const char *account_id,
                                   const char *order_id, const char *session, int apart_s);

/* Log and count an order that was abandoned unread. */
void reconcile_log_abandoned(struct portal *portal, const char *account_id, const char *order_id,
                             const char *state);
