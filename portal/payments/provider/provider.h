/*
 * portal/payments/provider/provider.h - the interface of a payment processor.
 *
 * Each call blocks, up to 10 s a request, and may use TLS. Call it on an ordinary stack, without a
 * database connection.
 */
#pragma once

#include "portal/payments/provider/facts.h"

struct portal;

/* An order as it is sent to the processor. It must not change, so that a retry sends the same
 * request. */
struct purchase {
    char order_id[UUID_TEXT_BYTES];
    char session[PROCESSOR_ID_BYTES]; /* its checkout; "": not known */
    int64_t credits;
    int64_t amount;
    char currency[CURRENCY_BYTES];
    int64_t expires_s;
    const char *account_id; /* of create: the buyer's, borrowed; so is email */
    const char *email;
};

/* An open payment page. */
enum { CHECKOUT_URL_BYTES = 2048 };
struct checkout {
    char session[PROCESSOR_ID_BYTES];
    char url[CHECKOUT_URL_BYTES];
    int64_t expires_s;
};

enum create_end {
    CREATE_OPENED,
    CREATE_NO_ANSWER, /* no response, or 409 or 429: retry the same order */
    CREATE_REJECTED,  /* the processor rejected this order for good; err is for the operator */
};

/* A company's tax number, and what its register says about it. */
struct tax_number {
    const char *account;
    const char *version; /* of the billing details */
    const char *type;    /* eu_vat, gb_vat or au_abn */
    const char *value;
    char customer[PROCESSOR_ID_BYTES]; /* the processor's object with the number; "": none yet */
};

struct provider {
    const char *name;
    enum create_end (*create)(struct portal *portal, const struct purchase *purchase,
                              struct checkout *checkout, struct err *err);
    /* Errors: ERR_UPSTREAM_UNAVAILABLE, with a message for the operator; read it again later. */
    bool (*read)(struct portal *portal, const struct purchase *purchase, struct facts *facts,
                 struct err *err);
    /* Expire the checkout. A failure is not reported: the next read has the result. */
    void (*expire)(struct portal *portal, const struct purchase *purchase);
    /* A page of events since then, newest first, after the event `after` ("": the first page). The
     * caller frees it. NULL: the provider does not send events. */
    bool (*list_events)(struct portal *portal, int64_t since_s, const char *after, cJSON **page,
                        struct err *err);
    /* What a register says: pending, verified, unverified or unavailable. Sets number->customer,
     * also if it fails after that. Errors: ERR_UPSTREAM_UNAVAILABLE; ask again later. NULL: the
     * provider asks no register. */
    bool (*check_tax_id)(struct portal *portal, struct tax_number *number, const char **state,
                         struct err *err);
};

extern const struct provider stripe_provider;
extern const struct provider test_provider; /* its facts are in the table test_payment */
