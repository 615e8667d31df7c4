/* gateway/tollctl/billing/reconcile.h - the command `order reconcile`. */
#pragma once

#include "gateway/tollctl/tollctl.h"

/* Compare the processor's balance with orders and entries. Exit status: 1 if they differ, 69 if the
 * processor cannot be reached, 70 if the comparison could not finish. */
bool order_reconcile(struct tollctl *ctl, cJSON *answer, struct err *err);
