/*
 * portal/payments/tax-checks.h - asks the registers of tax numbers, through the payment processor,
 * about the numbers that members enter: at once, then each hour for three days.
 */
#pragma once

#include <stdbool.h>

#include "base/err.h"

struct portal;

/* Ask about some numbers that are due, if tax_ids_are_checked(). Blocks; call it without a database
 * connection. Errors: of the database. */
bool tax_checks_run(struct portal *portal, struct err *err) must_check;
