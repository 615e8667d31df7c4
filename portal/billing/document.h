/*
 * portal/billing/document.h - a row of the table invoice in words, for pages.
 */
#pragma once

#include <cjson/cJSON.h>

/* The columns and tables that document_add() and document_head_add() need; i is the document. */
#define DOCUMENT_COLUMNS                                                                          \
    "i.invoice_id, i.place, i.order_id, i.kind, i.reason, i.is_test, i.order_number, i.credits,"  \
    " i.buyer::json, i.payment::json, i.taxes::json, i.net, i.tax, i.total, i.currency, i.name, " \
    "i.issued_at,"                                                                                \
    " i.seller::json, r.name as refers_to, r.invoice_id as refers_id, i.total <> f.total as "     \
    "is_part"
#define DOCUMENT_TABLES                                                                   \
    "invoice i join invoice f on f.account_id = i.account_id and f.order_id = i.order_id" \
    "                        and f.step = 0"                                              \
    " left join invoice r on r.account_id = i.account_id and r.invoice_id = i.refers_to"

/* Add invoice_id, order_id, order_number, name, what ("Invoice"), is_note, is_test, issued
 * (pages/parts/time.html), about (why it exists, with the name of what it refers to), total (a
 * credit note's is below 0). name and issued are missing until it has its number. */
void document_head_add(const cJSON *row, cJSON *model);

/* Also all that a printed document shows: seller, buyer, payment, its item, taxes and sums. A
 * credit note shows what it gives back, above 0. */
void document_add(const cJSON *row, cJSON *model);
