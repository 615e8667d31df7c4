/* svc-security/openapi-validate/witness/offer.c - valid values of schemas inside of others. */
#include "offer.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "base/num.h"
#include "text/json.h"

bool offer_is_over(const struct offer *offer)
{
    return offer->is_done || *offer->judge->steps_left == 0;
}

void offer_value(struct offer *offer, cJSON *value)
{
    if (value && !offer_is_over(offer))
        offer->is_done = offer->taker(offer->context, value);
    json_free(&value);
}

/* ---- nodes as values ---- */

static cJSON *copy_node(const struct node *node, size_t *nodes_left)
{
    cJSON *value = NULL;
    if (*nodes_left == 0 || (*nodes_left)-- == 0)
        return NULL;
    switch ((enum node_kind)node->kind) {
    case NODE_NULL:
        return json_new_number(NAN);
    case NODE_BOOL:
        return json_new_bool(node->is_true);
    case NODE_NUMBER:
        return json_parse(node->text, 1, &value, NULL) ? value : json_new_number(node->number);
    case NODE_STRING:
        return node->text.size <= WITNESS_BYTES ? json_new_text(node->text) : NULL;
    case NODE_LIST:
    case NODE_OBJECT:
        break;
    }
    value = node->kind == NODE_LIST ? json_array() : json_object();
    for (uint32_t i = 0; i < node->count; i++) {
        cJSON *child = copy_node(node->child[i], nodes_left);
        bool has_nul = memchr(node->child[i]->key.bytes ? node->child[i]->key.bytes : "", '\0',
                              node->child[i]->key.size) != NULL;
        if (!child || has_nul) {
            json_free(&child);
            json_free(&value);
            return NULL;
        }
        scoped(mem_free) char *name =
            str_format("%.*s", (int)node->child[i]->key.size, node->child[i]->key.bytes);
        if (node->kind == NODE_LIST)
            json_item_add(value, child);
        else
            json_add(value, name, child);
    }
    return value;
}

cJSON *value_of_node(const struct node *node)
{
    size_t nodes_left = 200;
    return copy_node(node, &nodes_left);
}

/* ---- valid values ---- */

struct maker *maker_new(offer_function *offer)
{
    struct maker *maker = mem_new(sizeof(*maker));
    maker->offer = offer;
    return maker;
}

void maker_free(struct maker **maker)
{
    if (!*maker)
        return;
    for (size_t i = 0; i < FILLED_MAX; i++)
        json_free(&(*maker)->filled[i].value);
    mem_free(maker);
}

struct filling {
    struct judge *judge;
    const struct node *schema;
    cJSON *value;
};

static bool take_valid(void *context, const cJSON *value)
{
    struct filling *filling = context;
    if (judge_value(filling->judge, filling->schema, value) != SCHEMA_FITS)
        return false;
    filling->value = json_copy(value);
    return true;
}

cJSON *value_fill(struct maker *maker, struct judge *judge, const struct node *schema)
{
    const struct node *meant = deref(schema);
    if (!schema || node_is_true(meant) || (node_is(meant, NODE_OBJECT) && meant->count == 0))
        return json_new_text(TEXT("a"));
    if (!meant)
        return NULL; /* in another document */
    uint64_t hash = ((uint64_t)(uintptr_t)meant ^ (uintptr_t)judge) * 0x9E3779B97F4A7C15u;
    struct filled *filled = &maker->filled[hash >> 32 & (FILLED_MAX - 1)];
    if (filled->schema == meant && filled->judge == judge && filled->direction == judge->direction)
        return filled->value ? json_copy(filled->value) : NULL;
    if (*judge->steps_left == 0)
        return NULL;
    struct filling filling = { .judge = judge, .schema = meant };
    (void)maker->offer(maker, judge, meant, NULL, take_valid, &filling);
    if (!filling.value && (maker->depth > 0 || *judge->steps_left == 0))
        return NULL; /* the depth may be the reason, so this is not remembered */
    json_free(&filled->value);
    *filled = (struct filled){ judge, meant, judge->direction, filling.value };
    return filling.value ? json_copy(filling.value) : NULL;
}

/* ---- members ---- */

char *name_of(struct text name)
{
    return name.size > 0 && memchr(name.bytes, '\0', name.size)
               ? NULL
               : str_format("%.*s", (int)name.size, name.bytes ? name.bytes : "");
}

bool is_left_out(const struct judge *judge, const struct node *property)
{
    struct view view;
    const char *flag = judge->direction == DIRECTION_REQUEST    ? "readOnly"
                       : judge->direction == DIRECTION_RESPONSE ? "writeOnly"
                                                                : NULL;
    view_of(judge->check, property, &view);
    return flag && node_is_true(view_get(&view, flag));
}

bool value_add_member(struct maker *maker, struct judge *judge, const struct view *view,
                      struct text name, cJSON *object)
{
    scoped(mem_free) char *key = name_of(name);
    const struct node *schema = view_property(view, name);
    if (!key)
        return false;
    if (json_get(object, key))
        return true;
    if (!schema && node_is(deref(view_get(view, "additionalProperties")), NODE_OBJECT))
        schema = view_get(view, "additionalProperties");
    cJSON *value = value_fill(maker, judge, schema);
    if (value)
        json_add(object, key, value);
    return value != NULL;
}

bool value_complete(struct maker *maker, struct judge *judge, const struct view *view,
                    cJSON *object)
{
    for (size_t i = 0; i < view->count; i++) {
        const struct node *list = node_get(view->part[i], "required");
        for (size_t k = 0; node_is(list, NODE_LIST) && k < list->count; k++) {
            const struct node *property = view_property(view, node_text(list->child[k]));
            judge_spend(judge, 2 + k / 8); /* members are searched one by one */
            if (property && is_left_out(judge, property))
                continue;
            if (!node_is(list->child[k], NODE_STRING) ||
                !value_add_member(maker, judge, view, list->child[k]->text, object))
                return false;
        }
    }
    return true;
}
