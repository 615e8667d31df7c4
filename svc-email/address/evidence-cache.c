/* svc-email/address/evidence-cache.c - a cache of domains' evidence, on base/os/cache.h. */
#include "address/evidence-cache.h"

#include "base/mem.h"
#include "base/os/cache.h"

struct evidence_cache {
    struct cache *kept;
};

static void *copy_evidence(const void *value)
{
    struct evidence *copy = mem_new(sizeof(*copy));
    *copy = evidence_copy(value);
    return copy;
}

static void free_evidence(void *value)
{
    evidence_free(value);
    mem_free(&value);
}

static const struct cache_kind evidence_kind = { EVIDENCE_CACHE_MAX, copy_evidence, free_evidence };

struct evidence_cache *evidence_cache_new(void)
{
    struct evidence_cache *cache = mem_new(sizeof(*cache));
    cache->kept = cache_new(&evidence_kind);
    return cache;
}

void evidence_cache_free(struct evidence_cache **cache)
{
    if (!*cache)
        return;
    cache_free(&(*cache)->kept);
    mem_free(cache);
}

bool evidence_cache_get(struct evidence_cache *cache, const char *domain, struct evidence *evidence)
{
    scoped(mem_free) struct evidence *found = cache_get(cache->kept, domain);
    if (found)
        *evidence = *found;
    return found != NULL;
}

void evidence_cache_put(struct evidence_cache *cache, const char *domain,
                        const struct evidence *evidence)
{
    bool is_bad = evidence->is_nxdomain || evidence->has_no_server;
    cache_put(cache->kept, domain, evidence, is_bad ? EVIDENCE_KEPT_BAD_MS : EVIDENCE_KEPT_MS);
}

bool evidence_cache_find(struct evidence_cache *cache, struct egress *egress, const char *domain,
                         const char *owner, bool refresh, int64_t deadline_ms,
                         struct evidence *evidence, bool *cached, struct err *err)
{
    *cached = !refresh && evidence_cache_get(cache, domain, evidence);
    if (*cached)
        return true;
    if (!evidence_query(egress, domain, owner, deadline_ms, evidence, err))
        return false;
    if (evidence_is_lasting(evidence))
        evidence_cache_put(cache, domain, evidence);
    return true;
}
