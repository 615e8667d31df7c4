/*
 * svc-email/address/evidence-cache.h - what was learned about domains, for all job threads.
 *
 * At most EVIDENCE_CACHE_MAX domains; a new one takes the place of the oldest of those it meets
 * with. What takes mail is kept for 6 hours, what does not for 1.
 */
#pragma once

#include "address/evidence.h"

enum {
    EVIDENCE_CACHE_MAX = 65536,
    EVIDENCE_KEPT_MS = 6 * 3600 * 1000,
    EVIDENCE_KEPT_BAD_MS = 3600 * 1000,
};

struct evidence_cache;

struct evidence_cache *evidence_cache_new(void);
void evidence_cache_free(struct evidence_cache **cache);

/* A copy of what is known, the caller's; false: nothing, or it is too old. */
bool evidence_cache_get(struct evidence_cache *cache, const char *domain,
                        struct evidence *evidence) must_check;

/* Keep a copy, which must be lasting. */
void evidence_cache_put(struct evidence_cache *cache, const char *domain,
                        const struct evidence *evidence);

/* The evidence from the cache, and then *cached is true, or by evidence_ask(), and then it is kept
 * when it is lasting. With refresh the cache is not read. Errors: those of evidence_ask(). */
bool evidence_cache_find(struct evidence_cache *cache, struct egress *egress, const char *domain,
                         const char *owner, bool refresh, int64_t deadline_ms,
                         struct evidence *evidence, bool *cached, struct err *err) must_check;
