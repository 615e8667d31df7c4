/*
 * portal/payments/stripe/signature.h - the Stripe-Signature header: was a webhook signed with the
 * endpoint's secret, within the last 5 minutes?
 *
 * The header is `t=<Unix seconds>,v1=<64 hex digits>,…`. A v1 is the HMAC-SHA-256 of "<t>.<body>".
 * The key is the whole secret, with its prefix whsec_. While a secret is being replaced, there is a
 * v1 for each. Other schemes are ignored (v0 is for test mode).
 * docs.stripe.com/webhooks, "Verify webhook signatures manually", read 2026-11-23.
 */
#pragma once

#include <stdint.h>

#include "base/err.h"
#include "base/text.h"

enum {
    SIGNING_SECRETS_MAX = 3,
    SIGNATURE_HEADER_MAX_BYTES = 4096,
    SIGNATURES_MAX = 16,       /* v1 in a header */
    SIGNATURE_AGE_MAX_S = 300, /* in the past or in the future */
};

/* The lines of payments.stripe_webhook_secret_file: the newest secret, and the ones that it
 * replaces. By value; each points into the text that it was read from. */
struct signing_secrets {
    size_t count;
    struct text secret[SIGNING_SECRETS_MAX];
};

/* Errors: ERR_INVALID_VALUE for zero or more than three lines, or if a line does not begin
 * with whsec_. */
bool signing_secrets_read(struct text lines, struct signing_secrets *secrets,
                          struct err *err) must_check;

/* Errors: ERR_SIGNATURE_INVALID if no v1 matches a secret, or the header is missing (NULL) or
 * malformed. ERR_SIGNATURE_STALE if one matches, but t is more than SIGNATURE_AGE_MAX_S away. The
 * comparison takes constant time. */
bool signature_check(const char *header, struct text body, const struct signing_secrets *secrets,
                     int64_t now_s, struct err *err) must_check;
