/*
 * portal/payments/stripe/signature.h - the Stripe-Signature header: did a webhook come from whoever
 * knows the endpoint's secret, and just now?
 *
 * The header is `t=<unix seconds>,v1=<64 hex digits>,…`, and a v1 the HMAC-SHA-256 of "<t>.<body>",
 * its key the whole secret as the dashboard shows it, whsec_ and all; while a secret is being
 * replaced there is a v1 of each. Other schemes (v0: test mode's) are not looked at.
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
    SIGNATURE_AGE_MAX_S = 300, /* and as much ahead */
};

/* The lines of payments.stripe_webhook_secret_file: the newest secret, and those that it replaces.
 * By value; each points into the text they were read from. */
struct signing_secrets {
    size_t count;
    struct text secret[SIGNING_SECRETS_MAX];
};

/* Errors: ERR_INVALID_VALUE for no line, more than three, and one that is no whsec_…: a sentence
 * for the operator, which names the line. */
bool signing_secrets_read(struct text lines, struct signing_secrets *secrets,
                          struct err *err) must_check;

/* Is it signed? Errors: ERR_SIGNATURE_INVALID when no v1 fits any secret, or the header (NULL:
 * there is none) is not as above; ERR_SIGNATURE_STALE when one does, but t is not now. Takes the
 * same time wherever a signature differs. */
bool signature_check(const char *header, struct text body, const struct signing_secrets *secrets,
                     int64_t now_s, struct err *err) must_check;
