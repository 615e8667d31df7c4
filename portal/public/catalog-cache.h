/*
 * portal/public/catalog-cache.h - what is on sale: the contracts with their groups and limits, as
 * pages show them.
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
    struct tool_group *groups; /* in their order */
    pthread_rwlock_t lock;     /* guards limits */
    struct limits *limits;
};

/* What an account may do a minute or day; 0: no limit of that kind. */
struct allowance {
    unsigned of_tool;  /* calls a minute */
    unsigned of_class; /* calls a minute of all tools of the class together */
    unsigned a_day;    /* of the tool, each UTC day */
    unsigned of_all;   /* calls a minute of all tools together */
};

/* Load all contracts, groups and limits. Errors: ERR_INVALID_VALUE, also for a rate class that the
 * limits do not know. */
bool catalog_cache_load(const char *directory, const char *limits_file,
                        struct catalog_cache **catalog, struct err *err) must_check;
void catalog_cache_free(struct catalog_cache **catalog);

/* Read the limits again; errors leave the old ones. Errors as catalog_cache_load(). */
bool catalog_cache_reload(struct catalog_cache *catalog, const char *limits_file,
                          struct err *err) must_check;

/* The contract of a tool; NULL: there is none. */
const struct contract *catalog_cache_find(const struct catalog_cache *catalog, const char *tool);

/* The number of a group in groups, or of a name that is none: group_count. */
size_t catalog_cache_group(const struct catalog_cache *catalog, const char *group);

struct allowance catalog_cache_allowance(struct catalog_cache *catalog,
                                         const struct contract *contract);
