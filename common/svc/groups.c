/* common/svc/groups.c - reads each group's group.yaml once, and sorts them. */
#include "svc/groups.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "text/json.h"
#include "text/yaml.h"

static bool read_group(const char *directory, struct tool_group *group, struct err *err)
{
    scoped(mem_free) char *path = str_format("%s/svc-%s/group.yaml", directory, group->name);
    scoped(json_free) cJSON *document = NULL;
    if (!yaml_load(path, &document, err))
        return false;
    const char *title = json_text(document, "/title");
    const cJSON *order = json_get(document, "order");
    if (!title || !json_is_integer(order))
        return err_set(err, ERR_INVALID_VALUE, "%s: title must be a text, order a whole number",
                       path);
    group->title = str_dup(title);
    group->order = (int64_t)order->valuedouble;
    return true;
}

static int by_order(const void *a, const void *b)
{
    const struct tool_group *left = a;
    const struct tool_group *right = b;
    if (left->order == right->order)
        return strcmp(left->name, right->name);
    return left->order < right->order ? -1 : 1;
}

static bool is_known(const struct tool_group *groups, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(groups[i].name, name) == 0)
            return true;
    return false;
}

bool tool_groups_load(const char *directory, struct contract *const *contracts, size_t count,
                      struct tool_group **made, size_t *made_count, struct err *err)
{
    struct tool_group *groups = mem_array(count, sizeof(*groups));
    size_t found = 0;
    for (size_t i = 0; i < count; i++) {
        if (is_known(groups, found, contracts[i]->group))
            continue;
        groups[found].name = contracts[i]->group;
        if (!read_group(directory, &groups[found], err)) {
            tool_groups_free(&groups, &found);
            return false;
        }
        found++;
    }
    qsort(groups, found, sizeof(*groups), by_order);
    *made = groups;
    *made_count = found;
    return true;
}

void tool_groups_free(struct tool_group **address, size_t *count)
{
    for (size_t i = 0; *address && i < *count; i++)
        mem_free(&(*address)[i].title);
    mem_free(address);
    *count = 0;
}
