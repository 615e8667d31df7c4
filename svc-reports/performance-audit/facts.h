/*
 * svc-reports/performance-audit/facts.h - what is known of a page's speed: from a crawl, without a
 * judgement.
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
    struct resource page; /* the document, as if it were one of the resources */
    size_t redirects;     /* of the page */
    bool is_upgrade;      /* its one redirect leads from http to https of the same host */
    bool is_html;
    bool is_verified;
    size_t elements;
    size_t images;              /* img elements */
    size_t third_party_domains; /* by their owners */
    size_t resource_count;
    struct resource *const *resource; /* borrowed, as is what page points to */
};

/* One sample in milliseconds. */
void timings_of(const struct sample *sample, struct timings *timings);

/* The crawl is borrowed as long as the facts are used. */
void facts_collect(const struct crawl *crawl, const struct public_suffixes *suffixes,
                   struct facts *facts);

/* The domain that somebody registered, of a host: itself when it is an address. */
const char *owner_of(const struct public_suffixes *suffixes, const struct host *host);

/* Third-party owners, each once, at most so many, in the order in which they come. Returns how
 * many there are. */
size_t third_party_owners(const struct crawl *crawl, const struct public_suffixes *suffixes,
                          const char **owners, size_t max);
