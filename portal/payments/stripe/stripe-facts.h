/*
 * portal/payments/stripe/stripe-facts.h - from Stripe's objects to facts. All of it is hostile
 * until it was looked at here: ids, numbers within limits, words of fixed lists, texts cut and
 * cleaned.
 *
 * The objects are those of STRIPE_VERSION: docs.stripe.com/api/checkout/sessions/object,
 * /api/refunds/object, /api/disputes/object, /api/pagination, read 2026-11-23, and the types of
 * Stripe's own npm package stripe 23.1.0, which is made of the same version.
 */
#pragma once

#include "portal/payments/provider/facts.h"

#define STRIPE_VERSION "2026-10-28.endive"

/* Errors of all: ERR_UPSTREAM_UNAVAILABLE, with what is wrong for the operator; then out is as it
 * was. */

/* A checkout session with its payment_intent.latest_charge expanded; it has to be this one. */
bool stripe_read_session(const cJSON *session, const char *id, struct facts *facts,
                         struct err *err) must_check;

/* One page of the refunds or disputes of facts->payment, added to what facts has. Refunds count
 * unless they failed or were cancelled: what is pending has left our balance. Disputes count until
 * they are won or prevented; a warning_… is an inquiry, which moves no money. One in another
 * currency counts as all that was paid. */
bool stripe_add_refunds(const cJSON *page, struct facts *facts, struct err *err) must_check;
bool stripe_add_disputes(const cJSON *page, struct facts *facts, struct err *err) must_check;

/* Of any page of a list: is there another, and behind which id does it begin? "": there is none. */
bool stripe_next_page(const cJSON *page, char after[static PROCESSOR_ID_BYTES],
                      struct err *err) must_check;
