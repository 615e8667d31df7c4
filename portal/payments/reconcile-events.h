/*
 * portal/payments/reconcile-events.h - ask the processor for its events since the last time, and
 * keep those that no webhook brought.
 */
#pragma once

#include "portal/payments/payments.h"

/* If it is anybody's turn, take it and do all of it. Nothing is done for a provider that lists no
 * events. Errors: the database's, the processor's; it is tried again within a minute. */
bool reconcile_events(struct portal *portal, struct err *err) must_check;

/* Is there a provider that lists events? */
bool reconcile_events_is_wanted(const struct portal *portal);

/* Seconds since the last whole one began, 0 while there was none. */
bool reconcile_events_age(struct sql *sql, int64_t *seconds, struct err *err) must_check;
