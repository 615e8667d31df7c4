/*
 * common/base/os/cache.h - what was learned under a name, for all threads of a process and for a
 * time.
 *
 * It never grows: a name has its place in one of many small sets, and a new one takes the place of
 * the oldest of those that it meets with. Which meet, nobody outside can know or choose.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/scoped.h"

/* What is kept: a copy of a value on the heap, and its release. */
struct cache_kind {
    size_t places; /* at most so many values, a multiple of 4 */
    void *(*copy)(const void *value);
    void (*free)(void *value);
};

struct cache;

struct cache *cache_new(const struct cache_kind *kind); /* kind is borrowed */
void cache_free(struct cache **cache);

/* A copy of what is kept under the name, the caller's; NULL: nothing, or it is too old. */
void *cache_get(struct cache *cache, const char *name) must_check;

/* Keep a copy for so long, in place of what was there. */
void cache_put(struct cache *cache, const char *name, const void *value, int64_t kept_ms);
