/*
 * portal/payments/stripe/event.h - one Stripe event. The ids of the order, checkout or payment are
 * used to find the order that must be read. What happened is read back from Stripe. The refunded
 * amount only shows whether that read was too early.
 *
 * docs.stripe.com/api/events/object, docs.stripe.com/api/events/types, read 2026-11-23.
 */
#pragma once

#include "base/codec/uuid.h"
#include "base/err.h"
#include "portal/payments/provider/facts.h"
#include "text/json.h"

enum {
    EVENT_MAX_BYTES = 256 << 10, /* of a webhook's body */
    EVENT_TYPE_BYTES = 128,
};

struct event {
    char id[PROCESSOR_ID_BYTES];
    char type[EVENT_TYPE_BYTES];
    bool is_ours; /* its type is about checkouts, refunds or disputes */
    bool is_live;
    int64_t created_s;
    char order_id[UUID_TEXT_BYTES]; /* client_reference_id, else metadata.order_id; "": neither */
    char ref[PROCESSOR_ID_BYTES];   /* the checkout, else the payment; "": neither */
    int64_t refunded; /* of the payment, in the currency's minor unit; -1: it does not say */
};

/* Read an event of a list. Errors: ERR_PAYLOAD_MISMATCH if it does not have an event's form. */
bool event_of(const cJSON *tree, struct event *event, struct err *err) must_check;

/* Read a webhook's body: strict JSON. Errors: the same. */
bool event_read(struct text body, struct event *event, struct err *err) must_check;

/* The types for which is_ours is true, in the order of their table; NULL past the end. */
const char *event_type(size_t i);
