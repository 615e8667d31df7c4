/* svc-security/openapi-validate/check/paths.c - parse path templates. */
#include "paths.h"

#include "base/text.h"
#include "fields.h"

const char *const path_methods[] = { "get",  "put",   "post",  "delete", "options",
                                     "head", "patch", "trace", "query",  NULL };

const struct node *path_item_of(const struct node *operation)
{
    const struct node *around = operation->parent;
    return around && around->type == TYPE_CONTAINER ? around->parent : around;
}

bool next_variable(struct text template, size_t *at, struct text *name, bool *is_balanced)
{
    const char *bytes = template.bytes;
    size_t open = *at;
    while (open < template.size && bytes[open] != '{' && bytes[open] != '}')
        open++;
    *is_balanced = open == template.size || bytes[open] == '{';
    if (open == template.size || bytes[open] == '}')
        return false;
    size_t close = open + 1;
    while (close < template.size && bytes[close] != '{' && bytes[close] != '}')
        close++;
    *is_balanced = close < template.size && bytes[close] == '}';
    *name = (struct text){ bytes + open + 1, close - open - 1 };
    *at = close + 1;
    return *is_balanced;
}

bool literals_are(struct text template, bool (*is_good)(struct text part))
{
    size_t from = 0;
    size_t at = 0;
    bool is_balanced;
    for (struct text name; next_variable(template, &at, &name, &is_balanced); from = at) {
        const char *literal = template.bytes + from;
        if (!is_good((struct text){ literal, (size_t)(name.bytes - 1 - literal) }))
            return false;
    }
    return !is_balanced || is_good(text_skip(template, from));
}

struct text path_shape(struct arena *arena, struct text path)
{
    char *shape = arena_copy(arena, path);
    size_t size = 0;
    bool is_name = false;
    for (size_t i = 0; i < path.size; i++) {
        is_name = is_name && path.bytes[i] != '}';
        if (!is_name)
            shape[size++] = path.bytes[i];
        is_name = is_name || path.bytes[i] == '{';
    }
    return (struct text){ shape, size };
}
