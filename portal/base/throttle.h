/*
 * portal/base/throttle.h - limits on attempts: GCRA buckets (ITU-T I.371), one row each.
 *
 * An attempt takes one from each of its buckets, or from none. That is committed before a password
 * is hashed. A row does not contain the address or member that it counts: its key is an HMAC.
 */
#pragma once

#include "portal/base/portal.h"

/* What a bucket counts. Sizes and refill times are in throttle.c. */
enum throttle_kind {
    THROTTLE_SIGN_IN_ADDRESS, /* by IP address, from unknown devices */
    THROTTLE_SIGN_IN_EMAIL,   /* by email key, from all unknown devices; also for unknown members */
    THROTTLE_SIGN_IN_DEVICE,  /* by known device */
    THROTTLE_CONFIRM,         /* password confirmations within a session, by session */
    THROTTLE_CODE,            /* second-factor codes, by member */
    THROTTLE_ENTRY_ADDRESS,   /* sign-up and password reset, by IP address */
    THROTTLE_MAIL,            /* emails caused by a form, by the recipient's email key */
    THROTTLE_REJECTIONS,      /* rejected sign-ins of a member; an empty bucket sends an email */
    THROTTLE_REJECTION_MAIL,  /* that email, by member: one a day */
    THROTTLE_REJECTION_AUDIT, /* audit entries for rejected sign-ins, by member: one a minute */
    THROTTLE_WORK,            /* tokens, exports and email changes, by account */
    THROTTLE_ORDER,           /* orders, by account */
    THROTTLE_ORDER_READ, /* order reads from the processor, by account: pages refresh automatically,
                      and must not use up THROTTLE_ORDER */
    THROTTLE_AUTHORIZE,  /* views of the consent page, by account */
    THROTTLE_CONSENT,    /* consents, by account */
    THROTTLE_REFRESH,    /* refreshes of a connected app, by its token's id */
    THROTTLE_DOCUMENT_ACCOUNT, /* failed fetches of apps' documents and keys, by account */
    THROTTLE_DOCUMENT_HOST,    /* the same by host */
    THROTTLE_COUNT
};

struct throttle_key {
    enum throttle_kind kind;
    const char *who; /* an id, an email key, or an address from throttle_address() */
};

enum { THROTTLE_KEYS_MAX = 3 };

/* Take one from each bucket; the kinds must differ. *retry_ms: 0 if that worked, otherwise the time
 * to wait. Errors: the database's. */
bool throttle_take(struct portal *portal, const struct throttle_key *keys, size_t count,
                   int64_t *retry_ms, struct err *err) must_check;

/* Put back what was taken with these keys. Errors are logged. */
void throttle_give(struct portal *portal, const struct throttle_key *keys, size_t count);

/* The bucket's name for an IP address: itself, or the /64 of IPv6. */
enum { THROTTLE_ADDRESS_BYTES = 64 };
void throttle_address(const struct in6_addr *address, char who[static THROTTLE_ADDRESS_BYTES]);

/* The time to wait, for people: "1 minute", "5 minutes", rounded up. */
struct throttle_wait {
    char words[32];
};
struct throttle_wait throttle_wait(int64_t retry_ms);
