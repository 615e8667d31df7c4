/*
 * svc-security/subdomain-finder/harvest.h - names below a domain, as sources tell them, each once.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "net/egress-session.h"
#include "net/host.h"

enum { HARVEST_MAX = 100000 };

#define NO_TIME INT64_MIN

/* A name that was found. */
struct found {
    char *name;                  /* lower-case A-labels without final dot */
    uint32_t sources;            /* a bit for each that tells it */
    bool is_plain;               /* not only as *.name */
    int64_t first_seen_ms;       /* wall time of its first certificate; NO_TIME: nobody says */
    int64_t last_seen_ms;        /* of its newest */
    bool is_resolved;            /* was it looked up and answered */
    struct addresses *addresses; /* when that found any; NULL: none */
};

struct harvest;

/* For a domain of domain_parse(). */
struct harvest *harvest_new(const char *domain);
void harvest_free(struct harvest **harvest);

/*
 * Add what a certificate has: a name in any case, perhaps with white space around it, a final dot,
 * one leading "*." or U-labels. What is no name below the domain is dropped: the domain itself,
 * mail addresses, wildcards elsewhere, labels other than letters, digits, - and _. Beyond
 * HARVEST_MAX nothing is added, and the harvest are cut.
 */
void harvest_add(struct harvest *harvest, unsigned source, struct text name, int64_t first_ms,
                 int64_t last_ms);

bool harvest_is_cut(const struct harvest *harvest);
size_t harvest_count(const struct harvest *harvest);

/* Put them in the order of their labels from the last on, or in that in which they are best looked
 * up: few labels first, then the newest certificate, then the name. The array is borrowed. */
struct found *harvest_by_label(struct harvest *harvest);
struct found *harvest_by_interest(struct harvest *harvest);
