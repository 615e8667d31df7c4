/*
 * portal/billing/billing.h - the pages about billing details, invoices and credit notes. Handlers
 * for portal/routes.c. gateway/sql/011-invoices.sql writes the documents.
 */
#pragma once

#include "portal/page/visit.h"

/* details.c */
visit_handler billing_show;
visit_handler billing_save;
void billing_page(struct visit *visit, int status); /* with the visit's errors */

/* emails.c */
visit_handler billing_email_add;
visit_handler billing_email_remove;
visit_handler billing_email_show;
visit_handler billing_email_confirm;

/* invoices.c */
visit_handler invoices_show;
visit_handler invoices_csv;

/* invoice-page.c */
visit_handler invoice_show;
visit_handler invoice_correct;
