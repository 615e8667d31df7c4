/*
 * portal/payments/provider/provider.h - who takes the money: what we ask of a payment processor.
 *
 * Each call blocks, for ten seconds a request, and may use TLS: on an ordinary stack, with no
 * connection to the database held.
 */
#pragma once

#include "portal/payments/provider/facts.h"

struct portal;

/* An order as it goes to the processor: the same each time, so that a repeated request is. */
struct purchase {
    char order_id[UUID_TEXT_BYTES];
    char session[PROCESSOR_ID_BYTES]; /* its checkout; "": none is known */
    int64_t credits;
    int64_t amount;
    char currency[CURRENCY_BYTES];
    int64_t expires_s;
    const char *email; /* of create: the buyer's, borrowed */
};

/* A payment page that was opened. */
enum { CHECKOUT_URL_BYTES = 2048 };
struct checkout {
    char session[PROCESSOR_ID_BYTES];
    char url[CHECKOUT_URL_BYTES];
    int64_t expires_s;
};

enum create_end {
    CREATE_OPENED,
    CREATE_NO_ANSWER, /* or one to try later: the same order may be tried again */
    CREATE_REFUSED,   /* this order never will be opened; err says why, for the operator */
};

struct provider {
    const char *name;
    enum create_end (*create)(struct portal *portal, const struct purchase *purchase,
                              struct checkout *checkout, struct err *err);
    /* Errors: ERR_UPSTREAM_UNAVAILABLE, the operator's words: ask again later. */
    bool (*read)(struct portal *portal, const struct purchase *purchase, struct facts *facts,
                 struct err *err);
    /* Let nobody pay any more. That it cannot be ended is no error: what is read next decides. */
    void (*expire)(struct portal *portal, const struct purchase *purchase);
    /* A page of events since then, the newest first, behind the event `after` ("": from the start);
     * the caller's. NULL: it sends none. */
    bool (*list_events)(struct portal *portal, int64_t since_s, const char *after, cJSON **page,
                        struct err *err);
};

extern const struct provider stripe_provider;
extern const struct provider test_provider; /* facts lie in the table test_payment */
