/* common/jsonschema/tree.c - cJSON trees, and functions for all kinds of trees. */
#include "jsonschema/tree.h"

#include <limits.h>

#include "base/num.h"
#include "text/json.h"

static enum tree_kind json_kind(const void *node)
{
    const cJSON *value = node;
    switch (value->type & 0xFF) {
    case cJSON_True:
    case cJSON_False:
        return TREE_BOOLEAN;
    case cJSON_Number:
        return TREE_NUMBER;
    case cJSON_String:
        return TREE_STRING;
    case cJSON_Array:
        return TREE_ARRAY;
    case cJSON_Object:
        return TREE_OBJECT;
    default:
        return TREE_NULL;
    }
}

static bool json_is_true(const void *node)
{
    return json_is(node, cJSON_True);
}

static struct text json_node_text(const void *node)
{
    const cJSON *value = node;
    return json_is(value, cJSON_Number) ? text_of(value->valuestring) : json_text_of(value);
}

static double json_number(const void *node)
{
    return ((const cJSON *)node)->valuedouble;
}

static size_t json_node_size(const void *node)
{
    return json_size(node);
}

static const void *json_first(const void *container)
{
    return ((const cJSON *)container)->child;
}

static const void *json_next_child(const void *child)
{
    return ((const cJSON *)child)->next;
}

static struct text json_name(const void *member)
{
    return text_of(((const cJSON *)member)->string);
}

static const void *json_member(const void *object, struct text name)
{
    const cJSON *member = json_is(object, cJSON_Object) ? ((const cJSON *)object)->child : NULL;
    while (member && !text_is(name, member->string))
        member = member->next;
    return member;
}

const struct tree tree_json = {
    .kind = json_kind,
    .is_true = json_is_true,
    .text = json_node_text,
    .number = json_number,
    .size = json_node_size,
    .first = json_first,
    .next = json_next_child,
    .name = json_name,
    .member = json_member,
};

void tree_decimal(const struct tree *tree, const void *node, char digits[DECIMAL_DOUBLE_BYTES],
                  struct decimal *decimal)
{
    if (!decimal_read(tree->text(node), decimal))
        decimal_of_double(tree->number(node), digits, decimal);
}

const void *tree_child(const struct tree *tree, const void *node, struct text part)
{
    int64_t index;
    if (tree->kind(node) == TREE_OBJECT)
        return tree->member(node, part);
    if (tree->kind(node) != TREE_ARRAY || !num_parse(part, INT_MAX, &index))
        return NULL;
    const void *child = tree->first(node);
    while (child && index-- > 0)
        child = tree->next(child);
    return child;
}
