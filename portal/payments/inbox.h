/*
 * portal/payments/inbox.h - events as rows of payment_event. Each event is stored once, whether a
 * webhook or the event list delivered it. The worker reads its order later.
 */
#pragma once

#include "db/sql.h"
#include "portal/payments/stripe/event.h"

/* Store an event with the hash of its body. *is_new: it was not stored before. One statement, which
 * commits. */
bool inbox_add(struct sql *sql, const char *provider, const struct event *event, struct text body,
               bool *is_new, struct err *err) must_check;
