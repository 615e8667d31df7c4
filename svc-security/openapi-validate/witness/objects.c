/* svc-security/openapi-validate/witness/objects.c - objects at the limits of schemas. */
#include "objects.h"

#include <math.h>
#include <stdio.h>

#include "base/mem.h"
#include "base/num.h"
#include "text/json.h"
#include "texts.h"

/* The object with one more member, of each kind of value if values is NULL. */
static void offer_with(struct offer *offer, const cJSON *base, const char *name, cJSON *value)
{
    if (!value || json_get(base, name) || offer_is_over(offer)) {
        json_free(&value);
        return;
    }
    cJSON *object = json_copy(base);
    json_add(object, name, value);
    offer_value(offer, object);
}

static void offer_any_kind(struct offer *offer, const cJSON *base, const char *name)
{
    if (offer_is_over(offer))
        return;
    offer_with(offer, base, name, json_new_text(TEXT("a")));
    offer_with(offer, base, name, json_new_number(0));
    offer_with(offer, base, name, json_new_bool(true));
    offer_with(offer, base, name, json_new_number(NAN));
    offer_with(offer, base, name, json_array());
    offer_with(offer, base, name, json_object());
}

/* All members that the other schema requires, but one. */
static void offer_without_one(struct offer *offer, const cJSON *base)
{
    enum { NAMES_MAX = 20 };
    struct text names[NAMES_MAX];
    size_t count = 0;
    for (size_t i = 0; i < offer->other.count; i++) {
        const struct node *list = node_get(offer->other.part[i], "required");
        for (size_t k = 0; node_is(list, NODE_LIST) && k < list->count && count < NAMES_MAX; k++)
            names[count++] = node_text(list->child[k]);
    }
    for (size_t gap = 0; count > 1 && gap < count && !offer_is_over(offer); gap++) {
        cJSON *object = json_copy(base);
        for (size_t i = 0; i < count; i++)
            if (i != gap)
                (void)!value_add_member(offer->maker, offer->judge, &offer->own, names[i], object);
        offer_value(offer, object);
    }
}

/* Each property of the view, alone and all together. */
static void offer_properties(struct offer *offer, const struct view *view, const cJSON *base)
{
    enum { PROPERTIES_MAX = 40 };
    size_t left = PROPERTIES_MAX;
    scoped(json_free) cJSON *all = json_copy(base);
    for (size_t i = 0; i < view->count; i++) {
        const struct node *list = node_get(view->part[i], "properties");
        for (size_t k = 0;
             node_is(list, NODE_OBJECT) && k < list->count && left > 0 && !offer_is_over(offer);
             k++) {
            scoped(mem_free) char *name = name_of(list->child[k]->key);
            const struct node *own = view_property(&offer->own, list->child[k]->key);
            if (!name || is_left_out(offer->judge, own ? own : list->child[k]))
                continue;
            left--;
            cJSON *value = value_fill(offer->maker, offer->judge, own);
            if (value && !json_get(all, name))
                json_add(all, name, json_copy(value));
            offer_with(offer, base, name, value);
            if (!own)
                offer_any_kind(offer, base, name);
        }
    }
    cJSON *whole = all;
    all = NULL;
    offer_value(offer, whole);
}

/* Members of names that only patterns, dependencies or propertyNames know. */
static void offer_names(struct offer *offer, const struct view *view, const cJSON *base)
{
    static const char *const maps[] = { "dependentRequired", "dependentSchemas" };
    const struct node *patterns = view_get(view, "patternProperties");
    for (size_t i = 0; i < countof(maps); i++) {
        const struct node *map = view_get(view, maps[i]);
        for (size_t k = 0;
             node_is(map, NODE_OBJECT) && k < map->count && k < 10 && !offer_is_over(offer); k++) {
            scoped(mem_free) char *name = name_of(map->child[k]->key);
            if (name)
                offer_any_kind(offer, base, name);
        }
    }
    for (size_t k = 0;
         node_is(patterns, NODE_OBJECT) && k < patterns->count && k < 10 && !offer_is_over(offer);
         k++) {
        scoped(buf_free) struct buf name = BUF(100);
        if (!text_of_pattern(patterns->child[k]->key, 1, &name))
            continue;
        scoped(mem_free) char *string = name_of(buf_text(&name));
        if (string) {
            offer_with(offer, base, string,
                       value_fill(offer->maker, offer->judge, patterns->child[k]));
            offer_any_kind(offer, base, string);
        }
    }
}

static void offer_sizes(struct offer *offer, const cJSON *base)
{
    static const char *const limits[] = { "maxProperties", "minProperties" };
    const struct view *views[] = { &offer->own, &offer->other };
    enum { SIZE_MOST = 60 };
    for (size_t i = 0; i < countof(limits) * countof(views); i++) {
        const struct node *limit = view_get(views[i % 2], limits[i / 2]);
        if (!node_is(limit, NODE_NUMBER) || limit->number < 0 || limit->number > SIZE_MOST)
            continue;
        for (int off = -1; off <= 1 && !offer_is_over(offer); off++) {
            cJSON *object = json_copy(base);
            double wanted = limit->number + off;
            for (int n = 0; n <= SIZE_MOST && (double)json_size(object) < wanted; n++) {
                char name[24];
                snprintf(name, sizeof(name), "extra%d", n);
                if (!value_add_member(offer->maker, offer->judge, &offer->own, text_of(name),
                                      object))
                    break;
            }
            offer_value(offer, object);
        }
    }
}

void offer_objects(struct offer *offer)
{
    static const char *const others[] = { "extra", "Extra-1", "_", "0" };
    scoped(json_free) cJSON *base = json_object();
    if (!value_complete(offer->maker, offer->judge, &offer->own, base))
        return;
    offer_value(offer, json_copy(base));
    if (offer_is_over(offer))
        return;
    offer_without_one(offer, base);
    offer_properties(offer, &offer->own, base);
    offer_properties(offer, &offer->other, base);
    for (size_t i = 0; i < countof(others) && !offer_is_over(offer); i++) {
        const struct node *rest = view_get(&offer->own, "additionalProperties");
        if (node_is(deref(rest), NODE_OBJECT))
            offer_with(offer, base, others[i], value_fill(offer->maker, offer->judge, rest));
        offer_any_kind(offer, base, others[i]);
    }
    offer_names(offer, &offer->own, base);
    offer_names(offer, &offer->other, base);
    offer_sizes(offer, base);
}
