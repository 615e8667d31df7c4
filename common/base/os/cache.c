/*
 * common/base/os/cache.c - sets of four places. A name belongs to one set, so the cache never
 * grows, and expired entries need no search.
 */
#include "base/os/cache.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "base/mem.h"
#include "base/os/clock.h"

enum { WAYS = 4 };

struct kept {
    char *name;
    int64_t until_ms;
    int64_t since_ms;
    void *value;
};

struct cache {
    const struct cache_kind *kind;
    pthread_mutex_t mutex;
    uint64_t secret; /* so that nobody can choose which entries are evicted */
    struct kept **place;
};

struct cache *cache_new(const struct cache_kind *kind)
{
    struct cache *cache = mem_new(sizeof(*cache));
    cache->kind = kind;
    cache->place = mem_array(kind->places, sizeof(struct kept *));
    pthread_mutex_init(&cache->mutex, NULL);
    if (getrandom(&cache->secret, sizeof(cache->secret), 0) != sizeof(cache->secret))
        abort();
    return cache;
}

static void free_kept(const struct cache *cache, struct kept **kept)
{
    if (!*kept)
        return;
    cache->kind->free((*kept)->value);
    mem_free(&(*kept)->name);
    mem_free(kept);
}

void cache_free(struct cache **cache)
{
    if (!*cache)
        return;
    for (size_t i = 0; i < (*cache)->kind->places; i++)
        free_kept(*cache, &(*cache)->place[i]);
    pthread_mutex_destroy(&(*cache)->mutex);
    mem_free(&(*cache)->place);
    mem_free(cache);
}

static struct kept **set_of(struct cache *cache, const char *name)
{
    uint64_t hash = cache->secret;
    for (; *name; name++) /* FNV-1a with a secret start */
        hash = (hash ^ (unsigned char)*name) * 0x100000001b3;
    hash = (hash ^ hash >> 33) * 0xff51afd7ed558ccd; /* short names leave bits unmixed */
    return &cache->place[(hash >> 33) % (cache->kind->places / WAYS) * WAYS];
}

void *cache_get(struct cache *cache, const char *name)
{
    void *copy = NULL;
    struct kept **set = set_of(cache, name);
    pthread_mutex_lock(&cache->mutex);
    for (size_t i = 0; i < WAYS && !copy; i++)
        if (set[i] && strcmp(set[i]->name, name) == 0 && clock_ms() < set[i]->until_ms)
            copy = cache->kind->copy(set[i]->value);
    pthread_mutex_unlock(&cache->mutex);
    return copy;
}

/* The place of the name, or else a free one, or else the oldest one. */
static struct kept **place_for(struct kept **set, const char *name)
{
    struct kept **place = &set[0];
    for (size_t i = 0; i < WAYS; i++)
        if (set[i] && strcmp(set[i]->name, name) == 0)
            return &set[i];
    for (size_t i = 1; i < WAYS && *place; i++)
        if (!set[i] || set[i]->since_ms < (*place)->since_ms)
            place = &set[i];
    return place;
}

void cache_put(struct cache *cache, const char *name, const void *value, int64_t kept_ms)
{
    struct kept *kept = mem_new(sizeof(*kept));
    kept->name = str_dup(name);
    kept->since_ms = clock_ms();
    kept->until_ms = kept->since_ms + kept_ms;
    kept->value = cache->kind->copy(value);
    pthread_mutex_lock(&cache->mutex);
    struct kept **place = place_for(set_of(cache, name), name);
    struct kept *old = *place;
    *place = kept;
    pthread_mutex_unlock(&cache->mutex);
    free_kept(cache, &old);
}
