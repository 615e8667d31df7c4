/*
 * portal/payments/reconcile-balance.h - compare each day's balance transactions of the processor
 * with orders and entries, an hour after the day's end (payments/reconcile.h), and store what
 * differs.
 *
 * - One portal at a time: a row of the table job. Its cursor is the end of the last day that was
 *   compared, in Unix seconds; days that were missed are made up for.
 * - A difference stays in the table reconcile_difference until its order is the same again: each
 * day all stored orders are compared once more.
 */
#pragma once

#include "portal/payments/payments.h"

struct reconcile_gauges;

/* Compare the days that are due, if no other portal does. Does nothing without a processor. Ends
 * soon if the portal drains. Errors: the database's and those of reconcile_compare(); then it is
 * due again in 10 minutes. */
bool reconcile_balance(struct portal *portal, struct err *err) must_check;

/* Register and update the gauges. */
struct reconcile_gauges *reconcile_balance_gauges(struct metrics *metrics);
void reconcile_balance_measure(struct portal *portal, struct reconcile_gauges *gauges,
                               struct sql *sql);
void reconcile_balance_gauges_free(struct reconcile_gauges **gauges);
