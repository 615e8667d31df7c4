/* svc-utils/json-to-code/model/refine.c - recursion and maps. */
#include "refine.h"

#include "keys.h"
#include "maps.h"

enum { SHARED_FIELDS_MIN = 2 }; /* one common name may be a coincidence */

/* ---- names that are data ---- */

/* container: the name of the member whose value the shape is; empty for the outermost value, and
 * inside lists and maps. */
static void find_maps(struct model *model, struct shape *shape, struct text container)
{
    static const struct text no_name = { "", 0 };
    if (shape->items)
        find_maps(model, shape->items, no_name);
    struct object *object = shape_object(shape);
    if (!object || object->visit == model->visit)
        return;
    object->visit = model->visit;
    if (!object->is_map && object_is_map(object, container))
        model_make_map(model, object);
    for (struct field *field = object->first; field; field = field->next)
        find_maps(model, &field->shape, object->is_map ? no_name : field->key);
}

/* ---- recursive types ---- */

struct enclosing {
    const struct enclosing *outer;
    struct object *object;
    uint32_t key_number; /* how it was reached */
};

static bool is_conflict(const struct shape *a, const struct shape *b)
{
    struct shape together = { .seen = a->seen | b->seen,
                              .object = a->object ? a->object : b->object };
    return shape_kind(&together) == KIND_UNION;
}

/* Does the larger of two types have all fields of the smaller one, with the same kinds? */
static bool is_part(const struct model *model, const struct object *small,
                    const struct object *large)
{
    for (const struct field *field = small->first; field; field = field->next) {
        const struct field *other = model_find_field(model, large, field->key_number);
        if (!other || is_conflict(&field->shape, &other->shape))
            return false;
    }
    return small->field_count >= SHARED_FIELDS_MIN;
}

/* Two maps never count as one recursive type: such a type would have no name. */
static bool is_same_type(const struct model *model, const struct object *a, const struct object *b)
{
    bool is_same = a->field_count < b->field_count ? is_part(model, a, b) : is_part(model, b, a);
    return is_same && !object_has_data_names(a) && !object_has_data_names(b);
}

static void join_with_enclosing(struct model *model, struct object *object,
                                const struct enclosing *here)
{
    for (const struct enclosing *outer = here->outer; outer; outer = outer->outer) {
        struct object *other = object_of(outer->object);
        if (outer->key_number == here->key_number && other != object &&
            is_same_type(model, other, object)) {
            other->is_recursive = true;
            model_merge_objects(model, other, object);
            return;
        }
    }
}

/* Inner types first, so that a chain closes from its end. */
static void find_recursion(struct model *model, struct shape *shape, uint32_t key_number,
                           const struct enclosing *outer)
{
    if (shape->items)
        find_recursion(model, shape->items, key_number, outer);
    struct object *object = shape_object(shape);
    if (!object || object->visit == model->visit)
        return;
    object->visit = model->visit;
    struct enclosing here = { outer, object, key_number };
    for (struct field *field = object->first; field; field = field->next)
        find_recursion(model, &field->shape, field->key_number, &here);
    join_with_enclosing(model, object_of(object), &here);
}

/* ---- only named types are recursive ---- */

/* Merging can put a map into itself, for samples made to do that. Its values become unknown. */
static void cut_endless_maps(struct model *model, struct shape *shape)
{
    if (shape->items)
        cut_endless_maps(model, shape->items);
    struct object *object = shape_object(shape);
    if (!object)
        return;
    if (object->is_map && object->is_open)
        *shape = (struct shape){ 0 };
    if (object->visit == model->visit)
        return;
    object->visit = model->visit;
    object->is_open = true;
    for (struct field *field = object->first; field; field = field->next)
        cut_endless_maps(model, &field->shape);
    object->is_open = false;
}

bool refine(struct model *model, const cJSON *maps, struct err *err)
{
    model->visit++;
    find_recursion(model, &model->root, UINT32_MAX, NULL);
    if (!maps_choose(model, maps, err))
        return false;
    model->visit++;
    find_maps(model, &model->root, TEXT(""));
    model->visit++;
    cut_endless_maps(model, &model->root);
    return true;
}
