/*
 * svc-email/probes/sender.h - facts about an address that may send for a domain: SPF,
 * its reverse names, and blocklists. All by DNS.
 */
#pragma once

#include "base/arena.h"
#include "blocklists/check.h"
#include "probes/spf-check.h"

enum { REVERSE_NAMES_MAX = 10 };

struct reverse_name {
    const char *name;
    bool leads_back; /* to the address: forward-confirmed */
};

struct sender_facts {
    struct arena arena;
    struct host address;
    struct lookups *lookups; /* texts are borrowed from it, too */
    struct spf_check spf;
    enum lookup_status reverse; /* of the PTR query */
    bool is_reverse_unknown;    /* a name's addresses could not be looked up */
    size_t names;
    struct reverse_name name[REVERSE_NAMES_MAX];
    struct list_target target; /* of the listings */
    struct listings listings;
    bool is_partial; /* the time or query limit was reached */
};

/*
 * Look up all about the address. Limits are those of the queries about SPF and names; the lists
 * have their own. The lists' health is shared by all jobs.
 */
void sender_collect(const struct in6_addr *address, const char *domain, struct dnsbls *lists,
                    struct egress *egress, const struct lookup_limits *limits,
                    struct sender_facts *sender);
void sender_free(struct sender_facts *sender);

/* Whether a reverse name leads back to the address. */
bool sender_is_confirmed(const struct sender_facts *sender);

size_t sender_count_listings(const struct sender_facts *sender, enum listing_status status);
