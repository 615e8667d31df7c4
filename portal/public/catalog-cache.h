/*
 * portal/public/catalog-cache.h - the tools on sale: contracts, groups and limits, for pages.
 * Loaded at start; a reload reads only the limits again.
 */
#pragma once

#include <pthread.h>

#include "svc/contract.h"
#include "svc/groups.h"
#include "svc/limits.h"

struct catalog_cache {
    size_t count;
    struct contract **contracts; /* sorted by tool */
    size_t group_count;
    struct tool_group *groups; /* in display order */
    pthread_rwlock_t lock;     /* guards limits */
    struct limits *limits;
};

/* The limits of an account; 0: no such limit. */
struct allowance {
    unsigned of_tool;  /* calls per minute */
    unsigned of_class; /* calls per minute to all tools of the class */
    unsigned a_day;    /* calls of the tool per UTC day */
    unsigned of_all;   /* calls per minute to all tools */
};

/* Load all contracts, groups and limits. Errors: ERR_INVALID_VALUE, also if a rate class is not in
 * the limits. */
bool catalog_cache_load(const char *directory, const char *limits_file,
                        struct catalog_cache **catalog, struct err *err) must_check;
void catalog_cache_free(struct catalog_cache **catalog);

/* Read the limits again. On an error the old ones stay. Errors as catalog_cache_load(). */
bool catalog_cache_reload(struct catalog_cache *catalog, const char *limits_file,
                          struct err *err) must_check;

/* The contract of a tool, or NULL. */
const struct contract *catalog_cache_find(const struct catalog_cache *catalog, const char *tool);

/* The index of a group in groups; group_count if the name is unknown. */
size_t catalog_cache_group(const struct catalog_cache *catalog, const char *group);

/* How many calls per minute an account may make to all tools together. */
unsigned catalog_cache_per_minute(struct catalog_cache *catalog);

struct allowance catalog_cache_allowance(struct catalog_cache *catalog,
                                         const struct contract *contract);
