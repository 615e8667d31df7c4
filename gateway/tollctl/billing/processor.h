/* gateway/tollctl/billing/processor.h - the payment processor, which tollctl asks itself, with a
 * key that the operator gives: nothing depends on what a portal has stored. */
#pragma once

#include "gateway/tollctl/tollctl.h"
#include "payments/stripe-request.h"

/* By value; release it with processor_close(). */
struct processor {
    struct egress *egress;
    struct stripe_client client;
    bool is_live; /* the mode of its key: does real money move? */
};

void processor_close(struct processor *processor);

/* Read the key, from --key-file or the configured file. Exit status: EX_USAGE without a key,
 * EX_CONFIG if it or the settings are invalid. */
bool processor_open(struct tollctl *ctl, struct processor *processor, struct err *err) must_check;
