/*
 * svc-reports/carbon-footprint/green.h - does a host run on green electricity? Queries the
 * operator's service: GET <base>/greencheck/<host>, the API of the Green Web Foundation. Reads
 * "green" and "hosted_by" of the response.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/os/cache.h"
#include "net/egress.h"
#include "net/host.h"

enum {
    GREEN_CACHE_MAX = 4096,
    GREEN_KEPT_MS = 24 * 3600 * 1000,
    GREEN_LIMIT_MS = 3000,
    PROVIDER_BYTES = 128,
};

struct green {
    bool is_green;
    char provider[PROVIDER_BYTES]; /* UTF-8; "" if unknown */
};

extern const struct cache_kind green_kind;

/* Get the cached result, or query the service and cache its result. The cache is of green_kind;
 * base "" means no service. Returns false with *error, a static text, if the result is unknown;
 * that is not cached. */
bool green_find(struct cache *kept, const char *base, struct egress *egress,
                const struct host *host, int64_t deadline_ms, struct green *green,
                const char **error) must_check;
