/*
 * common/payments/stripe-request.h - one request to Stripe's API, and its response. Requests are
 * form-encoded and responses JSON. Each call blocks, up to 10 s a request, and may use TLS.
 *
 * docs.stripe.com/api/authentication, /api/errors, read 2026-11-23.
 */
#pragma once

#include <stdatomic.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "payments/stripe-values.h"

struct egress; /* net/egress.h */

enum { STRIPE_REQUEST_MS = 10000 };

/* The account that is asked. By value; wipe it with stripe_client_wipe(). */
struct stripe_client {
    struct egress *egress;
    const char *url; /* https://api.stripe.com; borrowed */
    char key[STRIPE_KEY_BYTES];
    const atomic_bool *is_stopping; /* or NULL; true: no further request is sent */
};

void stripe_client_wipe(struct stripe_client *client);

/* Append a field to a form. */
void stripe_add_field(struct buf *form, const char *name, const char *value);

struct stripe_request {
    const char *path;            /* with its query */
    const struct buf *form;      /* of a POST; NULL: GET */
    const char *idempotency_key; /* or NULL */
    int64_t deadline_ms;         /* by clock_ms() */
};

/* By value; release it with stripe_response_free(). */
struct stripe_response {
    int status;  /* 0: no response arrived */
    cJSON *tree; /* NULL: not JSON */
};

void stripe_response_free(struct stripe_response *response);

void stripe_send(const struct stripe_client *client, const struct stripe_request *request,
                 struct stripe_response *response);

/* ERR_UPSTREAM_UNAVAILABLE: why the response is not 200 with JSON, for the operator. Returns false.
 */
bool stripe_set_error(const struct stripe_response *response, struct err *err);

/* GET. Errors: stripe_set_error(), unless the response is 200 with JSON. */
bool stripe_get(const struct stripe_client *client, const char *path, int64_t deadline_ms,
                struct stripe_response *response, struct err *err) must_check;
