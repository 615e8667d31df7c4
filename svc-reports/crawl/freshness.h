/*
 * svc-reports/crawl/freshness.h - how long a browser may use an answer again without asking
 * (RFC 9111, section 4.2, as a private cache).
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "net/http/fetch-answer.h"

struct freshness {
    int64_t ttl_s;      /* 0: it is asked for again each time */
    bool is_stated;     /* by max-age, no-store, no-cache or Expires */
    bool is_immutable;  /* RFC 8246 */
    bool has_validator; /* Last-Modified or ETag: without is_stated browsers guess */
};

enum { FRESHNESS_MAX_S = INT32_MAX };

/* By the headers of an answer: max-age, else Expires less Date (or less now_ms, wall clock, where
 * there is no Date). s-maxage is for others' caches and private costs nothing. */
void freshness_read(const struct fetch_hop *hop, int64_t now_ms, struct freshness *freshness);
