/*
 * svc-email/dns/lookups.h - a request's DNS queries: many at once, each sent once.
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
 * Add everything that is known to be needed, then run: it sends all of it at once over one
 * connection. Not thread-safe.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "net/addresses.h"
#include "net/dns.h"

enum lookup_status {
    LOOKUP_ANSWER, /* there are records of the type, after any aliases */
    LOOKUP_NODATA,
    LOOKUP_NXDOMAIN, /* also for an invalid name: an empty label, or one above 63 octets */
    LOOKUP_SERVFAIL, /* also for every response code without a name here */
    LOOKUP_REFUSED,
    LOOKUP_TIMEOUT, /* also if the time or query limit was reached before it was sent */
    LOOKUP_BADREPLY,
    LOOKUP_OPEN, /* not sent yet: only from lookup_known() */
};

/* The answer to a query. Borrowed from its lookups; its address does not change. */
struct lookup {
    const char *name; /* lower case */
    uint16_t type;
    enum lookup_status status;
    bool is_authenticated; /* AD */
    bool had_its_time;     /* it was sent and each try had question_ms, so its servers caused a
                            * timeout */
    const char *owner;     /* the name at the end of the aliases, or name */
    size_t count;          /* number of records; 0 unless LOOKUP_ANSWER */
    const struct dns_message *message;
};

struct lookups;

/* Limit of data kept for all answers together, ten times what legitimate domains have. An answer
 * beyond it is LOOKUP_BADREPLY. */
enum { LOOKUPS_KEPT_BYTES = 512 << 10 };

struct lookup_limits {
    size_t questions;    /* in total, without retries */
    int64_t question_ms; /* for each try */
    int tries;           /* per query, if it is not answered or fails with SERVFAIL */
    int64_t deadline_ms; /* for all queries, by clock_ms() */
};

/* The egress is borrowed. */
struct lookups *lookups_new(struct egress *egress, const struct lookup_limits *limits);
void lookups_free(struct lookups **lookups);

/* Enter a query for the next lookups_run(). The name is in presentation form (net/dns/message.h),
 * in any case, with or without a final dot. Entering it again changes nothing. */
void lookups_add(struct lookups *lookups, const char *name, uint16_t type);

/* Send all entered queries without an answer, DNS_QUESTIONS_MAX at once. Returns whether there were
 * any. */
bool lookups_run(struct lookups *lookups);

/* The answer to a query, which is sent now if it was not sent before. */
const struct lookup *lookup(struct lookups *lookups, const char *name, uint16_t type);

/*
 * The known answer. Without one, LOOKUP_OPEN, and the query is entered. A function that needs many
 * dependent answers is therefore written as if it had them all, and called until nothing is left to
 * send:
 *
 *     do
 *         collect_facts(call);
 *     while (lookups_run(call->lookups));
 *
 * collect_facts() skips what is LOOKUP_OPEN, so each round sends all possible queries at once.
 */
const struct lookup *lookup_known(struct lookups *lookups, const char *name, uint16_t type);

/* Number of different queries. */
size_t lookups_count(const struct lookups *lookups);

/* Whether a query was left out because of the time or query limit, or an answer because of its
 * size. */
bool lookups_are_partial(const struct lookups *lookups);

/* ---- answers ---- */

/* NODATA or NXDOMAIN: the DNS has no record. */
static inline bool status_is_void(enum lookup_status status)
{
    return status == LOOKUP_NODATA || status == LOOKUP_NXDOMAIN;
}

/* No result: a retry may give another one. */
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

/* The record of the queried type, 0 to count - 1, in the order of the answer. */
const struct dns_record *lookup_record(const struct lookup *lookup, size_t which);

/* Append a TXT record's strings, joined without a separator (RFC 7208 section 3.3), as raw
 * bytes. */
void lookup_text(const struct lookup *lookup, size_t which, struct buf *text);

/* Add the addresses of an A or AAAA answer. */
void lookup_addresses(const struct lookup *lookup, struct addresses *addresses);

/* "NXDOMAIN" …, for people. */
extern const char *const lookup_status_names[];
