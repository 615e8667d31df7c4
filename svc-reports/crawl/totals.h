/*
 * svc-reports/crawl/totals.h - a crawl in sums.
 */
#pragma once

#include "crawl/crawl.h"

struct total {
    size_t requests; /* that the page makes, whether they were made here or not; no lazy images */
    size_t transfer_bytes;
    size_t decoded_bytes;
};

struct totals {
    struct total all; /* the page and its redirects too */
    struct total by_kind[KINDS];
    struct total third_party;
    size_t measured; /* requests that were made here */
    size_t failed;   /* of those, without an answer or with a status from 400 on */
    size_t lazy;     /* images that come later, if at all */
};

void totals_count(const struct crawl *crawl, struct totals *totals);

/* Does the page load more than is in the sums? */
bool crawl_is_truncated(const struct crawl *crawl);

/* No answer, or one that is none. */
bool resource_has_failed(const struct resource *resource);

/* Text and the like of 1,400 bytes or more, decoded: where compression saves a packet. */
bool is_worth_compressing(const char *type, size_t decoded_bytes);

/* Did it come compressed, by a way that browsers know? */
bool is_compressed(const char *encoding);
