/*
 * svc-email/blocklists/check.h - query all lists about all targets in parallel. A list's
 * test queries go with its first query. A list that timed out, in this call or just before in
 * another, is not queried again.
 */
#pragma once

#include "blocklists/reading.h"
#include "net/host.h"

struct list_target {
    enum list_subject subject;
    char name[HOST_BYTES]; /* for display */
    const char *owner;     /* registrable domain of a domain, in name */
    struct in6_addr address;
};

enum { TARGETS_MAX = 11 /* 10 addresses and a domain */, REASON_BYTES = 300 };

/* What a list said about a target. */
struct listing {
    const struct dnsbl *list;
    const struct list_target *target;
    struct list_answer answer;
    struct reading reading;
    char *text; /* the list's text about a listed target; NULL: none */
};

struct listings {
    size_t count;
    struct listing *item; /* by target, then in the order of the lists */
    bool is_partial;      /* the time or query limit was reached */
};

/* Errors: ERR_UPSTREAM_UNAVAILABLE if no resolver answers anything. */
bool listings_query(struct lookups *lookups, struct dnsbls *lists,
                    const struct list_target *targets, size_t count, struct listings *listings,
                    struct err *err) must_check;
void listings_free(struct listings *listings);
