/*
 * portal/payments/stripe/stripe-facts.h - from Stripe's objects to facts. The objects are not
 * trusted: ids are checked, numbers have limits, words come from fixed lists, and texts are cut and
 * cleaned.
 *
 * The objects are those of STRIPE_VERSION: docs.stripe.com/api/checkout/sessions/object,
 * /api/refunds/object, /api/disputes/object, /api/pagination, read 2026-11-23, and the types of the
 * npm package stripe 23.1.0, which Stripe generates from the same version.
 */
#pragma once

#include "portal/payments/provider/facts.h"

/* Errors of all functions: ERR_UPSTREAM_UNAVAILABLE, with a message for the operator. Then the
 * output is unchanged. */

/* A checkout session with its payment_intent.latest_charge expanded, and its
 * total_details.breakdown if taxes are wanted. Its id must be `id`. */
bool stripe_read_session(const cJSON *session, const char *id, struct facts *facts,
                         struct err *err) must_check;

/* Add one page of the refunds or disputes of facts->payment to facts:
 *
 * - A refund counts unless it failed or was cancelled. A pending one has already left the balance.
 * - A dispute counts until it is won or prevented. A warning_… is an inquiry, which moves no money.
 * - A dispute in another currency counts as the whole payment.
 * - A lost dispute is also in facts->lost. */
bool stripe_add_refunds(const cJSON *page, struct facts *facts, struct err *err) must_check;
bool stripe_add_disputes(const cJSON *page, struct facts *facts, struct err *err) must_check;

/* stripe_find_next_page(). */
bool stripe_next_page(const cJSON *page, char after[static PROCESSOR_ID_BYTES],
                      struct err *err) must_check;
