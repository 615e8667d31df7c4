/*
 * portal/payments/provider/facts.h - what a processor reports about one order, the only input of
 * payment_apply() in gateway/sql/007-orders.sql. Amounts are in the currency's minor unit.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/codec/uuid.h"
#include "base/err.h"
#include "payments/stripe-values.h"
#include "text/json.h"

enum {
    INTENT_STATUS_BYTES = 32,
    AMOUNT_MAX = 1000000000, /* far above Stripe's own limit of eight digits */
};

/* By value; release with facts_free(). */
struct facts {
    const char *status; /* open, complete or expired */
    const char *paid;   /* paid, unpaid or no_payment_required */
    bool is_live;
    char currency[CURRENCY_BYTES];
    int64_t amount; /* with tax, less discount */
    int64_t tax;
    int64_t discount;
    char order_id[UUID_TEXT_BYTES];          /* that the processor stored with the checkout */
    char session[PROCESSOR_ID_BYTES];        /* the checkout */
    char payment[PROCESSOR_ID_BYTES];        /* the payment; "": not yet */
    char intent_status[INTENT_STATUS_BYTES]; /* of the payment; "": not yet */
    int64_t refunded;
    int64_t disputed;
    int64_t lost;   /* of disputed */
    cJSON *taxes;   /* [{name, percent, amount, reason}], each optional but the amount; or NULL */
    cJSON *receipt; /* {url, name, email, country, card, billing}, each optional; or NULL. billing:
                     columns of billing_version, if the tax was computed from them */
};

void facts_free(struct facts *facts);

/* Append them as JSON for payment_apply(). live_wanted: the mode of the key. is_test: notes begin
 * with TEST. */
void facts_print(const struct facts *facts, bool live_wanted, bool is_test, struct buf *out);
