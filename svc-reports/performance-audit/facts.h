/*
 * svc-reports/performance-audit/facts.h - facts of a page's speed, from a crawl, without a rating.
 */
#pragma once

#include "crawl/crawl.h"
#include "crawl/totals.h"

/* Milliseconds, each the median of the samples. */
struct timings {
    double dns_ms, tcp_ms, tls_ms, wait_ms, download_ms, redirect_ms, ttfb_ms, total_ms;
};

struct facts {
    struct timings timings;
    struct totals totals;
    struct resource page; /* the document, in the form of a resource */
    size_t redirects;     /* of the page */
    bool is_upgrade;      /* its only redirect is from http to https on the same host */
    bool is_html;
    bool is_verified;
    size_t elements;
    size_t images;              /* img elements */
    size_t third_party_domains; /* counted by registrable domain */
    size_t resource_count;
    struct resource *const *resource; /* borrowed, like the pointers of page */
};

/* One sample in milliseconds. */
void timings_of(const struct sample *sample, struct timings *timings);

/* The crawl must outlive the facts. */
void facts_collect(const struct crawl *crawl, const struct public_suffixes *suffixes,
                   struct facts *facts);

/* The registrable domain of a host; an IP address is its own owner. */
const char *owner_of(const struct public_suffixes *suffixes, const struct host *host);

/* List the third-party owners, without duplicates, in order of appearance, up to the limit. Returns
 * their total number. */
size_t third_party_owners(const struct crawl *crawl, const struct public_suffixes *suffixes,
                          const char **owners, size_t max);
