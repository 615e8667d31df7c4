/*
 * common/payments/stripe-values.h - values in Stripe's JSON: ids, currencies, pages of lists; and
 * the forms of an API key. The input is not trusted.
 *
 * docs.stripe.com/api/pagination and docs.stripe.com/keys, read 2026-11-23.
 */
#pragma once

#include <stdbool.h>

#include "base/text.h"
#include "text/json.h"

/* The version that every request names: the account's default version does not matter. */
#define STRIPE_VERSION "2026-10-28.endive"

enum {
    CURRENCY_BYTES = 4,
    PROCESSOR_ID_BYTES = 256, /* Stripe's ids have at most 255 characters */
    STRIPE_KEY_BYTES = 256,
};

/* Does it have the form of a Stripe id: letters, digits and _? Then it needs no encoding in a URL.
 */
bool stripe_is_id(struct text id);

/* Copy an id; false: the node is not one. */
bool stripe_copy_id(const cJSON *node, char out[static PROCESSOR_ID_BYTES]);

/* The same for the id of an object, from the object or from its id. */
bool stripe_copy_ref(const cJSON *node, char out[static PROCESSOR_ID_BYTES]);

/* Stripe writes three lower-case letters, Tollgate three capitals. */
bool stripe_read_currency(const cJSON *node, char out[static CURRENCY_BYTES]);

/* Of any page of a list: the id after which the next page begins; "": this is the last one. False:
 * it is not a page. */
bool stripe_find_next_page(const cJSON *page, char after[static PROCESSOR_ID_BYTES]);

/* The mode of an API key: does real money move? False: it is not a key. */
bool stripe_key_mode(struct text key, bool *is_live);
