/*
 * common/base/os/cache.h - a cache by name for all threads of a process, with expiry.
 *
 * It never grows: a name belongs to one of many small sets, and a new entry replaces the oldest of
 * its set. Clients cannot know or choose which names share a set.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/scoped.h"

/* The cached values: how to copy and release one. */
struct cache_kind {
    size_t places; /* maximum number of values, a multiple of 4 */
    void *(*copy)(const void *value);
    void (*free)(void *value);
};

struct cache;

struct cache *cache_new(const struct cache_kind *kind); /* kind is borrowed */
void cache_free(struct cache **cache);

/* A copy of the value under the name, owned by the caller; NULL if not found or it has
 * expired. */
void *cache_get(struct cache *cache, const char *name) must_check;

/* Store a copy for keep_ms, and replace an existing one. */
void cache_put(struct cache *cache, const char *name, const void *value, int64_t kept_ms);
