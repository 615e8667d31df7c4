/*
 * portal/payments/invoicing.h - numbers of invoices and credit notes. The database writes a
 * document with its order's money (gateway/sql/011-invoices.sql); a portal gives it its number and
 * the seller's details of that day.
 */
#pragma once

#include "base/err.h"
#include "portal/base/portal.h"

/* Errors: ERR_INVALID_VALUE for payments.invoice_series. */
bool invoicing_check(const struct conf *conf, struct err *err) must_check;

/* Number the documents that wait. Any portal may do this at any time. */
bool invoicing_run(struct portal *portal, struct err *err) must_check;
