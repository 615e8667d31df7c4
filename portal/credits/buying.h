/*
 * portal/credits/buying.h - what a page says to what portal/payments/orders.h answers.
 */
#pragma once

#include "portal/base/throttle.h"
#include "portal/page/visit.h"
#include "portal/payments/orders.h"

struct buyer buyer_of(const struct visit *visit);

/* May this account buy just now? Else refused in the visit with *status, or answered when the
 * database could not tell (0). */
bool buying_may(struct visit *visit, int *status);

/* Go where the outcome leads; false: refused in the visit, the page is the caller's. */
bool buying_go_on(struct visit *visit, const struct order_outcome *outcome);

/* Ask the processor how an order stands, unless this account has asked often of late. */
void buying_look(struct visit *visit, const char *order_id);
