/*
 * portal/payments/inbox.h - events as rows of payment_event: put there once each, whoever brings
 * them, and looked at later by the worker.
 */
#pragma once

#include "db/sql.h"
#include "portal/payments/stripe/event.h"

/* Keep an event whose body this was; *is_new: it was not there yet. One statement, committed. */
bool inbox_add(struct sql *sql, const char *provider, const struct event *event, struct text body,
               bool *is_new, struct err *err) must_check;
