/*
 * svc-reports/crawl/freshness.h - how long a browser may reuse a response without revalidation (RFC
 * 9111, section 4.2, as a private cache).
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "net/http/fetch-answer.h"

struct freshness {
    int64_t ttl_s;      /* 0: revalidated each time */
    bool is_stated;     /* by max-age, no-store, no-cache or Expires */
    bool is_immutable;  /* RFC 8246 */
    bool has_validator; /* Last-Modified or ETag; without is_stated, browsers use a heuristic */
};

enum { FRESHNESS_MAX_S = INT32_MAX };

/* From a response's headers: max-age, otherwise Expires minus Date. now_ms, the wall clock,
 * replaces a missing Date. Ignores s-maxage, which is for shared caches, and private. */
void freshness_read(const struct fetch_hop *hop, int64_t now_ms, struct freshness *freshness);
