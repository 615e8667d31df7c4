/*
 * svc-email/dns/lookups.h - what one request asks the DNS: many questions at once, each one once.
 *
 *     scoped(lookups_free) struct lookups *lookups = lookups_new(egress, &limits);
 *     lookups_add(lookups, domain, DNS_MX);
 *     lookups_add(lookups, domain, DNS_TXT);
 *     lookups_run(lookups);
 *     const struct lookup *mx = lookup(lookups, domain, DNS_MX);
 *     for (size_t i = 0; i < mx->count; i++)
 *         lookups_add(lookups, lookup_record(mx, i)->target, DNS_A);
 *     lookups_run(lookups);
 *
 * Add all that is known to be needed, then run: that asks all of it at once, over one connection.
 * Used by one thread at a time.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "net/addresses.h"
#include "net/dns.h"

enum lookup_status {
    LOOKUP_ANSWER, /* there are records of the type, behind any aliases */
    LOOKUP_NODATA,
    LOOKUP_NXDOMAIN, /* also of what is no name in the DNS: an empty label, one above 63 octets */
    LOOKUP_SERVFAIL, /* also every response code that has no name here */
    LOOKUP_REFUSED,
    LOOKUP_TIMEOUT, /* also what was not asked for lack of time or questions */
    LOOKUP_BADREPLY,
    LOOKUP_OPEN, /* not asked yet: of lookup_known() alone */
};

/* The answer to a question; borrowed from its lookups, at a place that stays. */
struct lookup {
    const char *name; /* lower case */
    uint16_t type;
    enum lookup_status status;
    bool is_authenticated; /* AD */
    bool had_its_time; /* it was sent, and each try had question_ms: a timeout is its servers' */
    const char *owner; /* the name at the end of its aliases; name itself without one */
    size_t count;      /* of its records, 0 unless LOOKUP_ANSWER */
    const struct dns_message *message;
};

struct lookups;

/* Of all answers together so many bytes of data are kept, which is ten times what honest domains
 * have; an answer that goes beyond is LOOKUP_BADREPLY. */
enum { LOOKUPS_KEPT_BYTES = 512 << 10 };

struct lookup_limits {
    size_t questions;    /* in all; the second try of one is not counted */
    int64_t question_ms; /* for each try */
    int tries;           /* of a question that is not answered, or by SERVFAIL */
    int64_t deadline_ms; /* for all together, by clock_ms() */
};

/* The egress is borrowed. */
struct lookups *lookups_new(struct egress *egress, const struct lookup_limits *limits);
void lookups_free(struct lookups **lookups);

/* Enter a question, for the next lookups_run(). The name is in presentation form
 * (net/dns/message.h), of any case, with or without a final dot. One that is entered already
 * changes nothing. */
void lookups_add(struct lookups *lookups, const char *name, uint16_t type);

/* Ask all that are entered and have no answer yet, DNS_QUESTIONS_MAX at once. Returns whether there
 * were any. */
bool lookups_run(struct lookups *lookups);

/* The answer to a question, which is asked now when it was not before. */
const struct lookup *lookup(struct lookups *lookups, const char *name, uint16_t type);

/*
 * The answer that there is already; LOOKUP_OPEN when there is none, and then the question is
 * entered. So a function that needs many answers, each of which leads to the next, is written as if
 * it had them all, and is called until it asks nothing more:
 *
 *     do
 *         collect(call);
 *     while (lookups_run(call->lookups));
 *
 * where collect() passes over what is LOOKUP_OPEN, and all that can be asked at once is.
 */
const struct lookup *lookup_known(struct lookups *lookups, const char *name, uint16_t type);

/* How many different questions were entered. */
size_t lookups_count(const struct lookups *lookups);

/* Was a question left out because the time was over, or there were too many, or an answer because
 * of its size? */
bool lookups_are_partial(const struct lookups *lookups);

/* ---- answers ---- */

/* NODATA or NXDOMAIN: the DNS says that there is nothing. */
static inline bool status_is_void(enum lookup_status status)
{
    return status == LOOKUP_NODATA || status == LOOKUP_NXDOMAIN;
}

/* The DNS did not say: it may be otherwise in a minute. */
static inline bool status_is_temporary(enum lookup_status status)
{
    return status >= LOOKUP_SERVFAIL && status <= LOOKUP_BADREPLY;
}

static inline bool lookup_is_void(const struct lookup *lookup)
{
    return status_is_void(lookup->status);
}

static inline bool lookup_is_temporary(const struct lookup *lookup)
{
    return status_is_temporary(lookup->status);
}

/* The record of the question's type, 0 to count - 1, in the order of the answer. */
const struct dns_record *lookup_record(const struct lookup *lookup, size_t which);

/* Append a TXT record's text: its strings joined without a separator (RFC 7208 section 3.3), bytes
 * as they came. */
void lookup_text(const struct lookup *lookup, size_t which, struct buf *text);

/* Add the addresses of an answer for A or AAAA. */
void lookup_addresses(const struct lookup *lookup, struct addresses *addresses);

/* "NXDOMAIN" and so on, for people. */
extern const char *const lookup_status_names[];
