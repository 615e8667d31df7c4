/*
 * svc-email/address/evidence-cache.h - a cache of domains' evidence, shared by all job threads.
 *
 * At most EVIDENCE_CACHE_MAX domains; a new one replaces the oldest in its bucket. A domain that
 * accepts mail stays for 6 hours, another one for 1 hour.
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

/* Copy the cached evidence; the copy belongs to the caller. Returns false without a fresh entry. */
bool evidence_cache_get(struct evidence_cache *cache, const char *domain,
                        struct evidence *evidence) must_check;

/* Store a copy. The evidence must be lasting. */
void evidence_cache_put(struct evidence_cache *cache, const char *domain,
                        const struct evidence *evidence);

/* Use the cached evidence (*cached is true), or run evidence_query() and cache lasting evidence.
 * refresh skips the cached entry. Errors: those of evidence_query(). */
bool evidence_cache_find(struct evidence_cache *cache, struct egress *egress, const char *domain,
                         const char *owner, bool refresh, int64_t deadline_ms,
                         struct evidence *evidence, bool *cached, struct err *err) must_check;
