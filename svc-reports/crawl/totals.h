/*
 * svc-reports/crawl/totals.h - totals of a crawl.
 */
#pragma once

#include "crawl/crawl.h"

struct total {
    size_t requests; /* of the page, measured or not, without lazy images */
    size_t transfer_bytes;
    size_t decoded_bytes;
};

struct totals {
    struct total all; /* includes the page and its redirects */
    struct total by_kind[KINDS];
    struct total third_party;
    size_t measured; /* requests made by the crawl */
    size_t failed;   /* of these, without a response or with a status of 400 or more */
    size_t lazy;     /* lazy images */
};

void totals_count(const struct crawl *crawl, struct totals *totals);

/* Does the page load more than the totals have? */
bool crawl_is_truncated(const struct crawl *crawl);

/* No response, or an error status. */
bool resource_has_failed(const struct resource *resource);

/* Compressible content of 1,400 or more decoded bytes: compression saves a packet. */
bool is_worth_compressing(const char *type, size_t decoded_bytes);

/* Was it compressed, in an encoding that browsers support? */
bool is_compressed(const char *encoding);
