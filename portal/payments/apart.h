/*
 * portal/payments/apart.h - ask the processor from a page: on a thread of its own with an ordinary
 * stack, since a page's is too small for TLS, and with no more than PLACES_OF_KIND at once.
 */
#ifndef PORTAL_PAYMENTS_APART_H
#define PORTAL_PAYMENTS_APART_H

#include "portal/payments/payments.h"

typedef void apart_run(void *context);

/* Call it and wait for its end. Errors: ERR_OVERLOADED, and it was not called. */
bool apart(struct payments *payments, apart_run *run, void *context, struct err *err) must_check;

#endif
