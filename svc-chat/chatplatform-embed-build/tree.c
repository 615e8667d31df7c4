/* svc-chat/chatplatform-embed-build/tree.c - checks shared by all components. */
#include "components.h"
#include "text/json.h"

int type_of(const cJSON *node)
{
    const cJSON *type = json_get(node, "type");
    return json_is_integer(type) && type->valuedouble > 0 && type->valuedouble < 1000
               ? (int)type->valuedouble
               : 0;
}

void check_count(struct tree *tree, const struct path *path, size_t count, size_t min, size_t max,
                 const char *what)
{
    if (count >= min && count <= max)
        return;
    LIMIT_AT(tree->build, path, "component_count", (int64_t)(count < min ? min : max),
             (int64_t)count, "must have %zu to %zu %s; it has %zu", min, max, what, count);
}

void record_custom_id(struct tree *tree, const struct path *outer, const cJSON *node)
{
    struct path path = path_member(outer, "custom_id");
    const cJSON *id = json_get(node, "custom_id");
    if (json_is(id, cJSON_String) && !names_add(&tree->custom_ids, 0, json_text_of(id)))
        ERROR_AT(tree->build, &path, "duplicate_custom_id",
                 "another component of the message has this custom_id");
}
