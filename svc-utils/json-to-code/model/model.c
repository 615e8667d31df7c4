/* svc-utils/json-to-code/model/model.c - merges objects of one type by union-find. */
#include "model.h"

#include <stdlib.h>

#include "base/mem.h"
#include "base/num.h"
#include "format.h"
#include "values.h"

struct pair {
    struct shape *into;
    struct shape *from;
};

void model_free(struct model *model)
{
    arena_free(&model->arena);
    names_free(&model->keys);
    names_free(&model->links);
    free(model->link);
    free(model->pending);
    free(model->types.item);
    free(model->inner_first.item);
    free(model->notes);
    *model = (struct model){ 0 };
}

void object_list_add(struct object_list *list, struct object *object)
{
    if (list->count == list->capacity) {
        list->capacity = MAX(2 * list->capacity, (size_t)64);
        list->item = mem_resize(list->item, list->capacity * sizeof(*list->item));
    }
    list->item[list->count++] = object;
}

/* ---- objects and their fields ---- */

struct object *object_of(struct object *object)
{
    while (object->merged) {
        if (object->merged->merged)
            object->merged = object->merged->merged;
        object = object->merged;
    }
    return object;
}

struct object *shape_object(const struct shape *shape)
{
    return shape->object ? object_of(shape->object) : NULL;
}

struct object *model_add_object(struct model *model)
{
    struct object *object = arena_get(&model->arena, sizeof(*object));
    object->number = model->object_count++;
    object->seen = 1;
    return object;
}

/* The key of a field in model.links. */
struct link_key {
    uint32_t object;
    uint32_t key;
};

static struct text link_text(const struct link_key *key)
{
    return (struct text){ (const char *)key, sizeof(*key) };
}

struct field *model_find_field(const struct model *model, const struct object *object,
                               uint32_t key_number)
{
    struct link_key key = { object->number, key_number };
    uint32_t index;
    return names_find(&model->links, link_text(&key), &index) ? model->link[index] : NULL;
}

static void append_field(struct object *object, struct field *field)
{
    *(object->last ? &object->last->next : &object->first) = field;
    object->last = field;
    object->field_count++;
    field->next = NULL;
}

/* Append a new field to an object, and index it. */
static void link_field(struct model *model, struct object *object, struct field *field)
{
    struct link_key *key = arena_get(&model->arena, sizeof(*key));
    *key = (struct link_key){ object->number, field->key_number };
    names_add(&model->links, 0, link_text(key));
    if (model->links.count > model->link_capacity) {
        model->link_capacity = MAX(2 * model->link_capacity, (size_t)256);
        model->link = mem_resize(model->link, model->link_capacity * sizeof(struct field *));
    }
    model->link[model->links.count - 1] = field;
    append_field(object, field);
}

static uint32_t key_number(struct model *model, struct text key, struct text *kept)
{
    uint32_t number;
    if (!names_find(&model->keys, key, &number)) {
        number = model->keys.count;
        key.bytes = arena_copy(&model->arena, key);
        names_add(&model->keys, 0, key);
    }
    *kept = names_at(&model->keys, number);
    return number;
}

struct field *model_field(struct model *model, struct object *object, struct text key)
{
    struct text kept;
    uint32_t number = key_number(model, key, &kept);
    struct field *field = model_find_field(model, object, number);
    if (field)
        return field;
    field = arena_get(&model->arena, sizeof(*field));
    field->key = kept;
    field->key_number = number;
    field->seen = 1;
    link_field(model, object, field);
    return field;
}

/* ---- merging ---- */

static void merge_later(struct model *model, struct shape *into, struct shape *from)
{
    if (model->pending_count == model->pending_capacity) {
        model->pending_capacity = MAX(2 * model->pending_capacity, (size_t)64);
        model->pending = mem_resize(model->pending, model->pending_capacity * sizeof(struct pair));
    }
    model->pending[model->pending_count++] = (struct pair){ into, from };
}

/* Move a field of another object into this one. */
static void merge_field(struct model *model, struct object *object, struct field *field)
{
    struct field *known =
        object->is_map ? object->first : model_find_field(model, object, field->key_number);
    if (known) {
        known->seen += field->seen;
        known->is_repeated |= field->is_repeated;
        merge_later(model, &known->shape, &field->shape);
    } else if (object->is_map) {
        append_field(object, field);
    } else {
        link_field(model, object, field);
    }
}

static void adopt_all(struct model *model, struct object *object, struct field *field)
{
    while (field) {
        struct field *next = field->next;
        merge_field(model, object, field);
        field = next;
    }
}

static void collapse_fields(struct model *model, struct object *object)
{
    struct field *fields = object->first;
    object->is_map = true;
    object->first = object->last = NULL;
    object->field_count = 0;
    adopt_all(model, object, fields);
}

static void join_objects(struct model *model, struct object *into, struct object *from)
{
    into = object_of(into);
    from = object_of(from);
    if (into == from)
        return;
    from->merged = into;
    into->seen += from->seen;
    into->is_recursive |= from->is_recursive;
    if (from->visit < into->visit)
        into->visit = from->visit; /* its new parts are not visited yet */
    if (from->is_map && !into->is_map)
        collapse_fields(model, into);
    adopt_all(model, into, from->first);
}

static void join_shapes(struct model *model, struct shape *into, struct shape *from)
{
    into->seen |= from->seen;
    if (!into->items)
        into->items = from->items;
    else if (from->items)
        merge_later(model, into->items, from->items);
    if (!into->values)
        into->values = from->values;
    else if (from->values)
        values_join(into->values, from->values);
    if (!into->object)
        into->object = from->object;
    else if (from->object)
        join_objects(model, into->object, from->object);
}

/* A list instead of recursion: the graph may be deeper than the sample. */
static void merge_pending(struct model *model)
{
    for (size_t i = 0; i < model->pending_count; i++) {
        struct pair pair = model->pending[i];
        join_shapes(model, pair.into, pair.from);
    }
    model->pending_count = 0;
}

void model_merge(struct model *model, struct shape *into, struct shape *from)
{
    join_shapes(model, into, from);
    merge_pending(model);
}

void model_merge_objects(struct model *model, struct object *into, struct object *from)
{
    join_objects(model, into, from);
    merge_pending(model);
}

void model_make_map(struct model *model, struct object *object)
{
    collapse_fields(model, object);
    merge_pending(model);
}

/* ---- kinds ---- */

static enum kind number_kind(unsigned seen)
{
    bool needs_both_signs = seen & SEEN_UNSIGNED && seen & SEEN_NEGATIVE;
    if (seen & (SEEN_NUMBER | SEEN_HUGE) || needs_both_signs)
        return KIND_NUMBER;
    return seen & SEEN_UNSIGNED ? KIND_UNSIGNED : KIND_INTEGER;
}

unsigned shape_kinds(const struct shape *shape)
{
    unsigned seen = shape->seen;
    unsigned kinds = 0;
    if (seen & SEEN_BOOLEAN)
        kinds |= 1U << KIND_BOOLEAN;
    if (seen & (SEEN_INTEGER | SEEN_UNSIGNED | SEEN_HUGE | SEEN_NUMBER))
        kinds |= 1U << number_kind(seen);
    if (seen & SEEN_STRING)
        kinds |= 1U << KIND_STRING;
    if (seen & SEEN_ARRAY)
        kinds |= 1U << KIND_ARRAY;
    if (seen & SEEN_OBJECT)
        kinds |= 1U << (shape_object(shape)->is_map ? KIND_MAP : KIND_OBJECT);
    return kinds;
}

enum kind shape_kind(const struct shape *shape)
{
    unsigned kinds = shape_kinds(shape);
    if (kinds == 0)
        return shape->seen & SEEN_NULL ? KIND_NULL : KIND_ANY;
    if ((kinds & (kinds - 1)) != 0)
        return KIND_UNION;
    return (enum kind)__builtin_ctz(kinds);
}

bool shape_is_nullable(const struct shape *shape)
{
    return shape->seen & SEEN_NULL;
}

bool shape_is_date_time(const struct shape *shape)
{
    return shape_kind(shape) == KIND_STRING && !(shape->seen & SEEN_EMPTY_TEXT) &&
           !(shape->seen >> SEEN_MISFIT_SHIFT & FORMAT_PLAIN_TIME);
}

bool shape_is_enum(const struct shape *shape)
{
    return shape_kind(shape) == KIND_STRING && shape->values && values_are_enum(shape->values);
}
