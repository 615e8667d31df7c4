/*
 * portal/credits/buying.h - turns outcomes of portal/payments/orders.h into responses.
 */
#pragma once

#include "portal/base/throttle.h"
#include "portal/page/visit.h"
#include "portal/payments/orders.h"

struct buyer buyer_of(const struct visit *visit);

/* May this account buy now? False: the error is in the visit with *status, or the database failed
 * and that is answered (0). */
bool buying_is_allowed(struct visit *visit, int *status);

/* Redirect to the outcome's page. False: the error is in the visit, and the caller shows the page.
 */
bool buying_continue(struct visit *visit, const struct order_outcome *outcome);

/* Read the order from the processor, unless this account is over its limit. */
void buying_refresh(struct visit *visit, const char *order_id);
