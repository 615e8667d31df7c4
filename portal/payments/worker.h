/*
 * portal/payments/worker.h - the three background threads of payments. One reads orders that have a
 * new event or are due. One compares the processor's event list every 10 minutes and stores events
 * that no webhook delivered. One compares the processor's balance each day.
 *
 * Any number of portals may run them. A portal claims a due order, and the turn to compare events,
 * with a lease. The turn is a row of the table job; its cursor is when the last complete comparison
 * began, in Unix seconds.
 */
#pragma once

#include "portal/base/portal.h"

struct payments_worker;

/* Runs without a provider too, to abandon the orders of a removed one. Errors: ERR_INTERNAL if a
 * thread cannot start. */
bool payments_worker_start(struct portal *portal, struct payments_worker **worker,
                           struct err *err) must_check;

/* Waits until a running read is finished: 30 s at most. */
void payments_worker_stop(struct payments_worker **worker);
