/*
 * portal/base/throttle.h - how often something may be tried: GCRA buckets (ITU-T I.371), a row
 * each.
 *
 * A try takes one from each of its buckets or none from any, and that is committed before a
 * password is hashed. Who a bucket belongs to stands in no row: its key is an HMAC.
 */
#pragma once

#include "portal/base/portal.h"

/* What a bucket counts; its size and how fast it fills again: throttle.c. */
enum throttle_kind {
    THROTTLE_SIGN_IN_ADDRESS, /* by address, from unknown devices */
    THROTTLE_SIGN_IN_EMAIL,   /* by e-mail key, all unknown devices together, unknown members too */
    THROTTLE_SIGN_IN_DEVICE,  /* by known device */
    THROTTLE_CONFIRM,         /* the password given again within a session, by session */
    THROTTLE_CODE,            /* second step, by member */
    THROTTLE_ENTRY_ADDRESS,   /* sign-up and forgot, by address */
    THROTTLE_MAIL,            /* mails that a form causes, by the recipient's e-mail key */
    THROTTLE_REFUSALS,        /* sign-ins of a member that were refused: the last starts a mail */
    THROTTLE_REFUSAL_MAIL,    /* that mail, by member: one a day */
    THROTTLE_REFUSAL_AUDIT,   /* a line of the audit for them, by member: one a minute */
    THROTTLE_WORK,            /* tokens, exports, e-mail changes, by account */
    THROTTLE_ORDER,           /* orders, by account */
    THROTTLE_LOOK,            /* looks at an order that ask the processor, by account: pages look by
                               * themselves, and must not use up what buying needs */
    THROTTLE_COUNT
};

struct throttle_key {
    enum throttle_kind kind;
    const char *who; /* an id, an e-mail key, an address: throttle_address() */
};

enum { THROTTLE_KEYS_MAX = 3 };

/* Take one of each, of different kinds. *retry_ms is 0 when that was possible, else how long to
 * wait for it. Errors: the database's. */
bool throttle_take(struct portal *portal, const struct throttle_key *keys, size_t count,
                   int64_t *retry_ms, struct err *err) must_check;

/* Give back what was taken with the same keys; what goes wrong is logged. */
void throttle_give(struct portal *portal, const struct throttle_key *keys, size_t count);

/* Who an address is for a bucket: itself, of IPv6 its /64. */
enum { THROTTLE_ADDRESS_BYTES = 64 };
void throttle_address(const struct in6_addr *address, char who[static THROTTLE_ADDRESS_BYTES]);

/* How long to wait, for people: "1 minute", "5 minutes", rounded up. */
struct throttle_wait {
    char words[32];
};
struct throttle_wait throttle_wait(int64_t retry_ms);
