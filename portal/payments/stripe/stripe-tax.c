/*
 * portal/payments/stripe/stripe-tax.c - see stripe-tax.h.
 *
 * Facts from docs.stripe.com/api/tax_ids/object and docs.stripe.com/billing/customer/tax-ids, read
 * 2026-11-28: a tax id belongs to a customer, and its verification.status is pending, verified,
 * unverified or unavailable. Only the sandbox can confirm that tax_id_data of a new customer is
 * rejected with 400 tax_id_invalid if the number has a wrong form.
 */
#include "portal/payments/stripe/stripe-tax.h"

#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/os/clock.h"
#include "base/table.h"
#include "payments/stripe-request.h"
#include "portal/base/portal.h"
#include "portal/payments/stripe/keys.h"

enum { FORM_MAX_BYTES = 1 << 10 };

static const char *const states[] = { "pending", "verified", "unverified", "unavailable" };

static const char *state_of(struct text word)
{
    for (size_t i = 0; i < countof(states); i++)
        if (text_is(word, states[i]))
            return states[i];
    return NULL;
}

/* Give Stripe the number, without the name of the company. The same request has the same key, so
 * that a repeated one makes no second customer. */
static bool create_customer(const struct stripe_client *client, struct tax_number *number,
                            const char **state, struct err *err)
{
    scoped(buf_free) struct buf form = BUF(FORM_MAX_BYTES);
    scoped(stripe_response_free) struct stripe_response response = { 0 };
    scoped(mem_free) char *key = str_format("tax-%s-%s", number->account, number->version);
    stripe_add_field(&form, "tax_id_data[0][type]", number->type);
    stripe_add_field(&form, "tax_id_data[0][value]", number->value);
    stripe_add_field(&form, "metadata[account_id]", number->account);
    stripe_send(client,
                &(struct stripe_request){ .path = "/v1/customers",
                                          .form = &form,
                                          .idempotency_key = key,
                                          .deadline_ms = clock_ms() + STRIPE_REQUEST_MS },
                &response);
    if (response.status == 400 &&
        text_is(json_text_of(json_at(response.tree, "/error/code")), "tax_id_invalid")) {
        *state = state_of(TEXT("unverified"));
        return true;
    }
    if (response.status != 200 || !response.tree)
        return stripe_set_error(&response, err);
    return stripe_copy_id(json_get(response.tree, "id"), number->customer) ||
           err_set(err, ERR_UPSTREAM_UNAVAILABLE, "the processor's new customer has no id");
}

/* The customer has this number alone. */
static bool read_state(const struct stripe_client *client, const struct tax_number *number,
                       const char **state, struct err *err)
{
    scoped(stripe_response_free) struct stripe_response response = { 0 };
    scoped(mem_free) char *path = str_format("/v1/customers/%s/tax_ids", number->customer);
    if (!stripe_is_id(text_of(number->customer)) ||
        !stripe_get(client, path, clock_ms() + STRIPE_REQUEST_MS, &response, err))
        return false;
    *state = state_of(json_text_of(json_at(response.tree, "/data/0/verification/status")));
    return *state || err_set(err, ERR_UPSTREAM_UNAVAILABLE,
                             "the processor's tax id has no state that is known");
}

bool stripe_check_tax_id(struct portal *portal, struct tax_number *number, const char **state,
                         struct err *err)
{
    scoped(stripe_client_wipe) struct stripe_client client = {
        .egress = portal->egress, .url = conf_str(portal->conf, "payments.stripe_url")
    };
    *state = NULL;
    stripe_key(portal->stripe_keys, client.key);
    if (!number->customer[0] && !create_customer(&client, number, state, err))
        return false;
    return *state || read_state(&client, number, state, err);
}
