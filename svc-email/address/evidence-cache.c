/* svc-email/address/evidence-cache.c - sets of four places; a domain has its place in one of them,
 * so nothing ever grows or is searched for what is old. */
#include "address/evidence-cache.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "base/mem.h"
#include "base/os/clock.h"

enum { WAYS = 4, SETS = EVIDENCE_CACHE_MAX / WAYS };

struct kept {
    char *domain; /* NULL: free */
    int64_t until_ms;
    int64_t since_ms;
    struct evidence evidence;
};

struct evidence_cache {
    pthread_mutex_t mutex;
    uint64_t secret; /* so that nobody chooses whom to push out */
    struct kept *set[SETS][WAYS];
};

struct evidence_cache *evidence_cache_new(void)
{
    struct evidence_cache *cache = mem_new(sizeof(*cache));
    pthread_mutex_init(&cache->mutex, NULL);
    if (getrandom(&cache->secret, sizeof(cache->secret), 0) != sizeof(cache->secret))
        abort();
    return cache;
}

static void free_kept(struct kept **kept)
{
    if (!*kept)
        return;
    evidence_free(&(*kept)->evidence);
    mem_free(&(*kept)->domain);
    mem_free(kept);
}

void evidence_cache_free(struct evidence_cache **cache)
{
    if (!*cache)
        return;
    for (size_t i = 0; i < SETS; i++)
        for (size_t k = 0; k < WAYS; k++)
            free_kept(&(*cache)->set[i][k]);
    pthread_mutex_destroy(&(*cache)->mutex);
    mem_free(cache);
}

static struct kept **set_of(struct evidence_cache *cache, const char *domain)
{
    uint64_t hash = cache->secret;
    for (; *domain; domain++) /* FNV-1a over a start that nobody knows */
        hash = (hash ^ (unsigned char)*domain) * 0x100000001b3;
    return cache->set[(hash >> 32) % SETS];
}

bool evidence_cache_get(struct evidence_cache *cache, const char *domain, struct evidence *evidence)
{
    bool is_found = false;
    struct kept **set = set_of(cache, domain);
    pthread_mutex_lock(&cache->mutex);
    for (size_t i = 0; i < WAYS && !is_found; i++)
        if (set[i] && strcmp(set[i]->domain, domain) == 0 && clock_ms() < set[i]->until_ms) {
            *evidence = evidence_copy(&set[i]->evidence);
            is_found = true;
        }
    pthread_mutex_unlock(&cache->mutex);
    return is_found;
}

/* Where the domain is, or else where nothing is, or else the oldest. */
static struct kept **place_for(struct kept **set, const char *domain)
{
    struct kept **place = &set[0];
    for (size_t i = 0; i < WAYS; i++)
        if (set[i] && strcmp(set[i]->domain, domain) == 0)
            return &set[i];
    for (size_t i = 1; i < WAYS && *place; i++)
        if (!set[i] || set[i]->since_ms < (*place)->since_ms)
            place = &set[i];
    return place;
}

void evidence_cache_put(struct evidence_cache *cache, const char *domain,
                        const struct evidence *evidence)
{
    bool is_bad = evidence->is_nxdomain || evidence->has_no_server;
    struct kept *kept = mem_new(sizeof(*kept));
    kept->domain = str_dup(domain);
    kept->since_ms = clock_ms();
    kept->until_ms = kept->since_ms + (is_bad ? EVIDENCE_KEPT_BAD_MS : EVIDENCE_KEPT_MS);
    kept->evidence = evidence_copy(evidence);
    pthread_mutex_lock(&cache->mutex);
    struct kept **place = place_for(set_of(cache, domain), domain);
    struct kept *old = *place;
    *place = kept;
    pthread_mutex_unlock(&cache->mutex);
    free_kept(&old);
}

bool evidence_cache_find(struct evidence_cache *cache, struct egress *egress, const char *domain,
                         const char *owner, bool refresh, int64_t deadline_ms,
                         struct evidence *evidence, bool *cached, struct err *err)
{
    *cached = !refresh && evidence_cache_get(cache, domain, evidence);
    if (*cached)
        return true;
    if (!evidence_ask(egress, domain, owner, deadline_ms, evidence, err))
        return false;
    if (evidence_is_lasting(evidence))
        evidence_cache_put(cache, domain, evidence);
    return true;
}
