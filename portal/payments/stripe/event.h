/*
 * portal/payments/stripe/event.h - one event of Stripe's: which order should be looked at? Nothing
 * else of it is believed; what happened is read back.
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
    bool is_ours; /* a type that tells of checkouts and their money */
    bool is_live;
    int64_t created_s;
    char order_id[UUID_TEXT_BYTES]; /* client_reference_id, else metadata.order_id; "": neither */
    char ref[PROCESSOR_ID_BYTES]; /* the checkout, else the payment that it is about; "": neither */
};

/* Read an event of a list. Errors: ERR_PAYLOAD_MISMATCH for what has not the shape of one. */
bool event_of(const cJSON *tree, struct event *event, struct err *err) must_check;

/* Read a webhook's body: strict JSON. Errors: the same. */
bool event_read(struct text body, struct event *event, struct err *err) must_check;

/* The types that are ours, in the order of their table; NULL past the end. */
const char *event_type(size_t i);

/* Is it an id as Stripe makes them, letters, digits and _? What is goes into a URL as it is. */
bool event_is_id(struct text id);

/* Copy a text that is one; false: it is not. */
bool event_copy_id(const cJSON *node, char out[static PROCESSOR_ID_BYTES]);
