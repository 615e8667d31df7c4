/*
 * portal/payments/reconcile-events.h - list the processor's events since the last comparison, and
 * store those that no webhook delivered.
 */
#pragma once

#include "portal/payments/payments.h"

/* Compare the events if it is due and no other portal does. Does nothing if no provider lists
 * events. Errors: the database's and the processor's; then it is due again within a minute. */
bool reconcile_events(struct portal *portal, struct err *err) must_check;

/* Does a followed provider list events? */
bool reconcile_events_is_wanted(const struct portal *portal);

/* Seconds since the last complete comparison began; 0: there was none. */
bool reconcile_events_age(struct sql *sql, int64_t *seconds, struct err *err) must_check;
