/*
 * svc-reports/carbon-footprint/green.h - is a host run on green electricity? Whom the operator
 * configured knows: GET <base>/greencheck/<host>, as the Green Web Foundation has it, of which
 * "green" and "hosted_by" are read.
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
    char provider[PROVIDER_BYTES]; /* UTF-8; "" when it is not told */
};

extern const struct cache_kind green_kind;

/* From the cache, of green_kind, or asked and kept; base "" is nobody. False, with *error a few
 * words that live for ever, when nobody can say: then it is not kept. */
bool green_find(struct cache *kept, const char *base, struct egress *egress,
                const struct host *host, int64_t deadline_ms, struct green *green,
                const char **error) must_check;
