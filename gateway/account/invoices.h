/*
 * gateway/account/invoices.h - GET …/account/invoices: an account's invoices and credit notes
 * (gateway/sql/011-invoices.sql), with all that their pages show. It shares usage.h's connection.
 */
#pragma once

#include "db/pool.h"
#include "gateway/account/asker.h"
#include "gateway/account/invoices-query.h"

/*
 * Append {invoices: [{id, number, kind, reason, issued_at, refers_to, refers_to_id, order_id,
 * order, credits, is_part, currency, net, tax, total, taxes, buyer, seller, payment, is_test,
 * url}], next_cursor}, newest first. Amounts are texts with the currency's decimals; those of
 * credit notes are below 0. number, issued_at and seller are null until it has its number.
 * public_url: of the portal, without a slash at its end. Errors: ERR_LEDGER_UNAVAILABLE.
 */
bool invoices_write(struct pool *pool, const struct asker *asker,
                    const struct invoices_question *question, const char *public_url,
                    struct buf *out, struct err *err) must_check;
