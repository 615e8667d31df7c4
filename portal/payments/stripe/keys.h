/*
 * portal/payments/stripe/keys.h - the configuration of Stripe, payments.stripe_*: the API key, and
 * the secrets that sign webhooks.
 */
#pragma once

#include "base/err.h"
#include "base/text.h"
#include "payments/stripe-values.h"
#include "text/conf.h"

#define STRIPE_KEY_FILE "payments.stripe_key_file"

struct stripe_keys; /* any thread may use it, also during a reload */

/* Errors: ERR_INVALID_VALUE, also for an invalid payments.stripe_url or stripe_checkout_origin. */
bool stripe_keys_load(const struct conf *conf, struct stripe_keys **keys,
                      struct err *err) must_check;
void stripe_keys_free(struct stripe_keys **keys);

/* Read the files again. The old keys stay if a file is invalid or the key has the other mode. */
bool stripe_keys_reload(struct stripe_keys *keys, const struct conf *conf,
                        struct err *err) must_check;

/* Does real money move? The key decides. */
bool stripe_keys_are_live(const struct stripe_keys *keys);

/* Copy the current API key. The caller must wipe it. */
void stripe_key(struct stripe_keys *keys, char key[static STRIPE_KEY_BYTES]);

/* signature_check() with the endpoint's secrets. */
bool stripe_check_signature(struct stripe_keys *keys, const char *header, struct text body,
                            int64_t now_s, struct err *err) must_check;
