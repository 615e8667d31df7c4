/* portal/public/shelf.c - loaded at start; only the limits are read again. */
#include "portal/public/shelf.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

static bool knows_classes(const struct shelf *shelf, const struct limits *limits, struct err *err)
{
    for (size_t i = 0; i < shelf->count; i++)
        if (!limits_class(limits, shelf->contracts[i]->rate_class))
            return err_set(err, ERR_INVALID_VALUE, "%s: the rate_class %s is not in the limits",
                           shelf->contracts[i]->tool, shelf->contracts[i]->rate_class);
    return true;
}

bool shelf_reload(struct shelf *shelf, const char *limits_file, struct err *err)
{
    scoped(limits_free) struct limits *limits = NULL;
    if (!limits_load(limits_file, &limits, err) || !knows_classes(shelf, limits, err))
        return false;
    pthread_rwlock_wrlock(&shelf->lock);
    struct limits *old = shelf->limits;
    shelf->limits = take(limits);
    pthread_rwlock_unlock(&shelf->lock);
    limits_free(&old);
    return true;
}

bool shelf_load(const char *directory, const char *limits_file, struct shelf **made,
                struct err *err)
{
    scoped(shelf_free) struct shelf *shelf = mem_new(sizeof(*shelf));
    pthread_rwlock_init(&shelf->lock, NULL);
    if (!contract_load_all(directory, NULL, &shelf->contracts, &shelf->count, err) ||
        !tool_groups_load(directory, shelf->contracts, shelf->count, &shelf->groups,
                          &shelf->group_count, err) ||
        !shelf_reload(shelf, limits_file, err))
        return false;
    *made = take(shelf);
    return true;
}

void shelf_free(struct shelf **address)
{
    struct shelf *shelf = *address;
    if (!shelf)
        return;
    for (size_t i = 0; i < shelf->count; i++)
        contract_free(&shelf->contracts[i]);
    mem_free(&shelf->contracts);
    tool_groups_free(&shelf->groups, &shelf->group_count);
    limits_free(&shelf->limits);
    pthread_rwlock_destroy(&shelf->lock);
    mem_free(address);
}

static int by_tool(const void *name, const void *contract)
{
    return strcmp(name, (*(struct contract *const *)contract)->tool);
}

const struct contract *shelf_find(const struct shelf *shelf, const char *tool)
{
    struct contract *const *found =
        bsearch(tool, shelf->contracts, shelf->count, sizeof(*shelf->contracts), by_tool);
    return found ? *found : NULL;
}

size_t shelf_group(const struct shelf *shelf, const char *group)
{
    size_t i = 0;
    while (i < shelf->group_count && strcmp(shelf->groups[i].name, group) != 0)
        i++;
    return i;
}

struct allowance shelf_allowance(struct shelf *shelf, const struct contract *contract)
{
    pthread_rwlock_rdlock(&shelf->lock);
    const struct rate_class *class = limits_class(shelf->limits, contract->rate_class);
    struct allowance allowance = { class->endpoint_per_minute, class->class_per_minute,
                                   class->daily_per_tool, shelf->limits->global_per_minute };
    pthread_rwlock_unlock(&shelf->lock);
    return allowance;
}
