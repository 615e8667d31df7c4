/*
 * svc-email/email-blacklist-check/check.h - ask all lists about all targets: at once, each list's
 * test points with the first question, and no list again that let us wait, or another call a moment
 * ago.
 */
#pragma once

#include "email-blacklist-check/reading.h"
#include "net/host.h"

struct target {
    enum subject subject;
    char name[HOST_BYTES]; /* as it is shown */
    const char *owner;     /* of a domain: its registrable part, a pointer into the name */
    struct in6_addr address;
};

enum { TARGETS_MAX = 11 /* 10 addresses and a domain */, REASON_BYTES = 300 };

/* What one list said about one target. */
struct listing {
    const struct dnsbl *list;
    const struct target *target;
    struct said said;
    struct reading reading;
    char *text; /* the list's own, of a listed target; NULL: none */
};

struct listings {
    size_t count;
    struct listing *item; /* by target, and then in the order of the lists */
    bool is_partial;      /* time or questions ran out */
};

/* Errors: ERR_UPSTREAM_UNAVAILABLE when no resolver answers anything. */
bool listings_ask(struct lookups *lookups, struct dnsbls *lists, const struct target *targets,
                  size_t count, struct listings *listings, struct err *err) must_check;
void listings_free(struct listings *listings);
