/*
 * svc-security/subdomain-finder/harvest.h - unique names below a domain, from all sources.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "net/egress-session.h"
#include "net/host.h"

enum { HARVEST_MAX = 100000 };

#define NO_TIME INT64_MIN

/* A name found in certificates. */
struct found_name {
    char *name;                  /* lower-case A-labels, without the final dot */
    uint32_t sources;            /* bit mask of the sources that report it */
    bool is_plain;               /* not only as a wildcard *.name */
    int64_t first_seen_ms;       /* start of its first certificate, wall clock; NO_TIME if
                                  * unknown */
    int64_t last_seen_ms;        /* of its newest certificate */
    bool is_resolved;            /* looked up, with a response */
    struct addresses *addresses; /* addresses found, or NULL */
};

struct harvest;

/* The domain must be normalized by domain_parse(). */
struct harvest *harvest_new(const char *domain);
void harvest_free(struct harvest **harvest);

/*
 * Add a name of a certificate: in any case, optionally with white space, a final dot, one leading
 * "*." or U-labels. Ignores anything else that is not a name below the domain: the domain itself,
 * email addresses, other wildcards, labels with characters other than letters, digits, - and _.
 * Beyond HARVEST_MAX names, only is_cut is set.
 */
void harvest_add(struct harvest *harvest, unsigned source, struct text name, int64_t first_ms,
                 int64_t last_ms);

bool harvest_is_cut(const struct harvest *harvest);
size_t harvest_count(const struct harvest *harvest);

/* Sort the names by their labels from right to left, or in lookup order: fewest labels first, then
 * newest certificate, then name. The array is borrowed. */
struct found_name *harvest_by_label(struct harvest *harvest);
struct found_name *harvest_by_interest(struct harvest *harvest);
