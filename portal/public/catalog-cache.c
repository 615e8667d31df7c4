/* portal/public/catalog-cache.c - see catalog-cache.h. */
#include "portal/public/catalog-cache.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

static bool knows_classes(const struct catalog_cache *catalog, const struct limits *limits,
                          struct err *err)
{
    for (size_t i = 0; i < catalog->count; i++)
        if (!limits_class(limits, catalog->contracts[i]->rate_class))
            return err_set(err, ERR_INVALID_VALUE, "%s: the rate_class %s is not in the limits",
                           catalog->contracts[i]->tool, catalog->contracts[i]->rate_class);
    return true;
}

bool catalog_cache_reload(struct catalog_cache *catalog, const char *limits_file, struct err *err)
{
    scoped(limits_free) struct limits *limits = NULL;
    if (!limits_load(limits_file, &limits, err) || !knows_classes(catalog, limits, err))
        return false;
    pthread_rwlock_wrlock(&catalog->lock);
    struct limits *old = catalog->limits;
    catalog->limits = take(limits);
    pthread_rwlock_unlock(&catalog->lock);
    limits_free(&old);
    return true;
}

bool catalog_cache_load(const char *directory, const char *limits_file, struct catalog_cache **made,
                        struct err *err)
{
    scoped(catalog_cache_free) struct catalog_cache *catalog = mem_new(sizeof(*catalog));
    pthread_rwlock_init(&catalog->lock, NULL);
    if (!contract_load_all(directory, NULL, &catalog->contracts, &catalog->count, err) ||
        !tool_groups_load(directory, catalog->contracts, catalog->count, &catalog->groups,
                          &catalog->group_count, err) ||
        !catalog_cache_reload(catalog, limits_file, err))
        return false;
    *made = take(catalog);
    return true;
}

void catalog_cache_free(struct catalog_cache **address)
{
    struct catalog_cache *catalog = *address;
    if (!catalog)
        return;
    for (size_t i = 0; i < catalog->count; i++)
        contract_free(&catalog->contracts[i]);
    mem_free(&catalog->contracts);
    tool_groups_free(&catalog->groups, &catalog->group_count);
    limits_free(&catalog->limits);
    pthread_rwlock_destroy(&catalog->lock);
    mem_free(address);
}

static int by_tool(const void *name, const void *contract)
{
    return strcmp(name, (*(struct contract *const *)contract)->tool);
}

const struct contract *catalog_cache_find(const struct catalog_cache *catalog, const char *tool)
{
    struct contract *const *found =
        bsearch(tool, catalog->contracts, catalog->count, sizeof(*catalog->contracts), by_tool);
    return found ? *found : NULL;
}

size_t catalog_cache_group(const struct catalog_cache *catalog, const char *group)
{
    size_t i = 0;
    while (i < catalog->group_count && strcmp(catalog->groups[i].name, group) != 0)
        i++;
    return i;
}

unsigned catalog_cache_per_minute(struct catalog_cache *catalog)
{
    pthread_rwlock_rdlock(&catalog->lock);
    unsigned calls = catalog->limits->global_per_minute;
    pthread_rwlock_unlock(&catalog->lock);
    return calls;
}

struct allowance catalog_cache_allowance(struct catalog_cache *catalog,
                                         const struct contract *contract)
{
    pthread_rwlock_rdlock(&catalog->lock);
    const struct rate_class *class = limits_class(catalog->limits, contract->rate_class);
    struct allowance allowance = { class->endpoint_per_minute, class->class_per_minute,
                                   class->daily_per_tool, catalog->limits->global_per_minute };
    pthread_rwlock_unlock(&catalog->lock);
    return allowance;
}
