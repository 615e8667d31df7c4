/*
 * portal/payments/worker.h - the threads that look at orders without being asked: those that events
 * tell of, and those that are due by themselves; and, every ten minutes in one portal, a look at
 * all events of the processor, for those that no webhook brought.
 *
 * Any number of portals may: an order that is due is claimed, and so is the turn to reconcile, a
 * row of the table job whose cursor is when the last whole one began, in unix seconds.
 */
#pragma once

#include "portal/base/portal.h"

struct payments_worker;

/* Also without a provider: orders of one that is gone come to their end. Errors: ERR_INTERNAL, no
 * thread. */
bool payments_worker_start(struct portal *portal, struct payments_worker **worker,
                           struct err *err) must_check;

/* A look under way is seen to its end, half a minute at most. */
void payments_worker_stop(struct payments_worker **worker);
