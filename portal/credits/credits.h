/*
 * portal/credits/credits.h - the pages for buying credits: packs, orders, receipts, and the
 * checkout of the provider `test`. Handlers for portal/routes.c. portal/payments calls the
 * processor.
 */
#pragma once

#include "portal/page/visit.h"

/* credits.c */
visit_handler credits_show;
visit_handler credits_buy;

/* order-page.c */
visit_handler order_show;
visit_handler order_pay;
visit_handler order_cancel;
visit_handler order_state;

/* receipt.c */
visit_handler receipt_show;

/* test-checkout.c */
visit_handler test_checkout_show;
visit_handler test_checkout_choose;
