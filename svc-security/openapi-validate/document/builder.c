/* svc-security/openapi-validate/document/builder.c - put nodes into the tree. */
#include "builder.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/num.h"

void builder_free(struct builder *builder)
{
    mem_free(&builder->children);
}

bool builder_stop(struct builder *builder, enum rule rule, struct place place, const char *why)
{
    builder->stop = (struct stop){ rule, why, place };
    return false;
}

const char *builder_copy(struct builder *builder, struct text text, struct place place)
{
    if (text.size <= SCALAR_BYTES_MAX)
        return arena_copy(&builder->document->arena, text);
    builder_stop(builder, RULE_LIMIT, place, "a string is longer than 1 MiB");
    return NULL;
}

bool builder_key(struct builder *builder, struct text key, struct place place)
{
    const char *copy = builder_copy(builder, key, place);
    if (!copy)
        return false;
    builder->has_key = true;
    builder->key = (struct text){ copy, key.size };
    builder->key_place = place;
    return true;
}

void builder_push(struct builder *builder, struct node *node)
{
    if (builder->child_count == builder->child_capacity) {
        builder->child_capacity = MAX(2 * builder->child_capacity, (size_t)64);
        builder->children =
            mem_resize(builder->children, builder->child_capacity * sizeof(struct node *));
    }
    builder->children[builder->child_count++] = node;
}

/* Add a new node to the innermost open container. A member has the position of its key. */
static void attach_node(struct builder *builder, struct node *node)
{
    if (builder->depth == 0) {
        node->index = builder->findings->document;
        builder->document->root = node;
        return;
    }
    node->parent = builder->open[builder->depth - 1];
    builder_push(builder, node);
    if (!builder->has_key)
        return;
    node->key = builder->key;
    node->line = (uint32_t)builder->key_place.line;
    node->column = (uint32_t)builder->key_place.column;
    node->merge = builder->is_merge_key ? MERGE_SOURCE : NOT_MERGED;
    builder->has_key = false;
    builder->is_merge_key = false;
}

static bool open_container(struct builder *builder, struct node *node, struct place place)
{
    if (builder->depth == DOCUMENT_DEPTH_MAX)
        return builder_stop(builder, RULE_LIMIT, place, "nested deeper than 256 levels");
    node->is_open = true;
    builder->first_child[builder->depth] = builder->child_count;
    builder->open[builder->depth++] = node;
    return true;
}

struct node *builder_add(struct builder *builder, enum node_kind kind, struct place place)
{
    const struct document *document = builder->document;
    if (document->nodes_before + document->node_count == DOCUMENT_NODES_MAX) {
        builder_stop(builder, RULE_LIMIT, place,
                     "it has more than 1,000,000 values, including repetitions by aliases");
        return NULL;
    }
    builder->document->node_count++;
    struct node *node = arena_get(&builder->document->arena, sizeof(*node));
    node->kind = (uint8_t)kind;
    node->line = (uint32_t)place.line;
    node->column = (uint32_t)place.column;
    attach_node(builder, node);
    bool is_container = kind == NODE_LIST || kind == NODE_OBJECT;
    return !is_container || open_container(builder, node, place) ? node : NULL;
}

/* ---- closing ---- */

static int by_name_then_place(const void *a, const void *b)
{
    const struct node *left = *(struct node *const *)a;
    const struct node *right = *(struct node *const *)b;
    int order = text_order(left->key, right->key);
    return order != 0 ? order : number_order(left->index, right->index);
}

/* Keep the last member of each name, in by_name and among the children. */
static void drop_repeated(struct builder *builder, struct node *object)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < object->count; i++) {
        struct node *node = object->by_name[i];
        bool is_repeated =
            i + 1 < object->count && text_order(node->key, object->by_name[i + 1]->key) == 0;
        if (is_repeated) {
            struct node *last = object->by_name[i + 1];
            if (node->merge != MERGED)
                flag_text(builder->findings, RULE_DUPLICATE_KEY, last, node->key);
            node->index = UINT32_MAX;
        } else {
            object->by_name[kept++] = node;
        }
    }
    uint32_t count = 0;
    for (uint32_t i = 0; i < object->count; i++)
        if (object->child[i]->index != UINT32_MAX)
            object->child[count++] = object->child[i];
    object->count = count;
}

static void number_children(struct node *node)
{
    for (uint32_t i = 0; i < node->count; i++)
        node->child[i]->index = i;
}

static void index_object(struct builder *builder, struct node *object)
{
    number_children(object);
    object->by_name = arena_get(&builder->document->arena, object->count * sizeof(struct node *));
    if (object->count > 0)
        memcpy(object->by_name, object->child, object->count * sizeof(struct node *));
    qsort(object->by_name, object->count, sizeof(struct node *), by_name_then_place);
    drop_repeated(builder, object);
    number_children(object);
}

void builder_close(struct builder *builder)
{
    struct node *node = builder->open[--builder->depth];
    size_t first = builder->first_child[builder->depth];
    node->is_open = false;
    node->count = (uint32_t)(builder->child_count - first);
    node->child = arena_get(&builder->document->arena, node->count * sizeof(struct node *));
    if (node->count > 0)
        memcpy(node->child, builder->children + first, node->count * sizeof(struct node *));
    builder->child_count = first;
    if (node->kind == NODE_OBJECT)
        index_object(builder, node);
    else
        number_children(node);
}

/* ---- copies ---- */

/* The depth limit also applies to copies. */
bool builder_add_copy(struct builder *builder, const struct node *source, struct place place)
{
    bool is_text = source->kind == NODE_STRING || source->kind == NODE_NUMBER;
    builder->copied_bytes += source->key.size + (is_text ? source->text.size : 0);
    if (builder->copied_bytes > DOCUMENT_BYTES_MAX)
        return builder_stop(builder, RULE_LIMIT, place, "aliases repeat more than 8 MiB");
    struct node *copy = builder_add(builder, (enum node_kind)source->kind, place);
    if (!copy)
        return false;
    if (source->kind != NODE_LIST && source->kind != NODE_OBJECT) {
        copy->is_true = source->is_true;
        copy->text = source->text;
        copy->number = source->number;
        return true;
    }
    for (uint32_t i = 0; i < source->count; i++) {
        const struct node *child = source->child[i];
        builder->has_key = source->kind == NODE_OBJECT;
        builder->key = child->key;
        builder->key_place = (struct place){ child->line, child->column };
        if (!builder_add_copy(builder, child, builder->key_place))
            return false;
    }
    builder_close(builder);
    return true;
}
