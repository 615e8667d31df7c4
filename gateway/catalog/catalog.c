/* gateway/catalog/catalog.c - contracts by name, and their numbers in PostgreSQL. */
#include "gateway/catalog/catalog.h"

#include <string.h>

#include "base/mem.h"
#include "gateway/catalog/db-tools.h"

static void add_group(struct catalog *catalog, const char *group)
{
    for (size_t i = 0; i < catalog->group_count; i++)
        if (strcmp(catalog->groups[i], group) == 0)
            return;
    catalog->groups = mem_resize(catalog->groups, (catalog->group_count + 1) * sizeof(group));
    catalog->groups[catalog->group_count++] = group;
}

bool catalog_load(const char *directory, const struct limits *limits, struct catalog **made,
                  struct err *err)
{
    scoped(catalog_free) struct catalog *catalog = mem_new(sizeof(*catalog));
    if (!contract_load_all(directory, NULL, &catalog->contracts, &catalog->count, err))
        return false;
    catalog->offers = mem_array(catalog->count, sizeof(*catalog->offers));
    for (size_t i = 0; i < catalog->count; i++) {
        const struct contract *contract = catalog->contracts[i];
        catalog->offers[i] =
            (struct offer){ contract, contract->tool, contract->group, contract->rate_class, 0 };
        add_group(catalog, contract->group);
        if (!limits_class(limits, contract->rate_class))
            return err_set(err, ERR_INVALID_VALUE, "%s: the rate_class %s is not in limits.yaml",
                           contract->tool, contract->rate_class);
    }
    catalog->credits = (struct offer){ NULL, "account-credits", "account", "account", 0 };
    if (!limits_class(limits, "account"))
        return err_set(err, ERR_INVALID_VALUE, "limits.yaml has no class account");
    *made = take(catalog);
    return true;
}

void catalog_free(struct catalog **address)
{
    struct catalog *catalog = *address;
    if (!catalog)
        return;
    for (size_t i = 0; i < catalog->count; i++)
        contract_free(&catalog->contracts[i]);
    mem_free(&catalog->contracts);
    mem_free(&catalog->offers);
    mem_free(&catalog->groups);
    mem_free(address);
}

bool catalog_register(struct catalog *catalog, const char *url, const char *password,
                      int64_t timeout_ms, struct err *err)
{
    size_t count = catalog->count + 1;
    scoped(mem_free) struct db_tool *tools = mem_array(count, sizeof(*tools));
    for (size_t i = 0; i < count; i++) {
        const struct offer *offer = i < catalog->count ? &catalog->offers[i] : &catalog->credits;
        tools[i] = (struct db_tool){ offer->name, offer->group, offer->rate_class, 0 };
    }
    if (!db_register_tools(url, password, timeout_ms, tools, count, err))
        return false;
    for (size_t i = 0; i < catalog->count; i++)
        catalog->offers[i].tool_id = tools[i].tool_id;
    catalog->credits.tool_id = tools[catalog->count].tool_id;
    return true;
}

const struct offer *catalog_find(const struct catalog *catalog, struct text name)
{
    size_t low = 0;
    size_t high = catalog->count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        const char *candidate = catalog->offers[middle].name;
        size_t length = strlen(candidate);
        int order = memcmp(candidate, name.bytes, length < name.size ? length : name.size);
        if (order == 0)
            order = (length > name.size) - (length < name.size);
        if (order == 0)
            return &catalog->offers[middle];
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}
