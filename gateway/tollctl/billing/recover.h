/* gateway/tollctl/billing/recover.h - `order refresh --since`: the orders of the time that a
 * restore has lost come back from their checkouts at the payment processor. */
#pragma once

#include "gateway/tollctl/tollctl.h"

/*
 * Read all checkouts that were created at the processor since a minute before --since. A portal
 * then reads each of these orders again, as after a webhook, and grants what was paid. An order
 * that the database does not have is made again first; its id makes sure that it is credited once.
 *
 * Adds to answer: since, checkouts, known, recovered, and the list orders {order, account,
 * checkout, amount, currency, payment, outcome} of the others: recovered, or why not
 * (order_recover()). Exit status: 1 if an order could not be recovered, 69 if the processor cannot
 * be reached.
 */
bool order_recover(struct tollctl *ctl, cJSON *answer, struct err *err);
