/* svc-utils/json-to-code/model/maps.c - which objects are maps, by their names and values. */
#include "maps.h"

#include <string.h>

#include "base/num.h"
#include "base/scoped.h"
#include "keys.h"
#include "likely-maps.h"
#include "text/json.h"

enum { POINTER_BYTES = 512 };

/* The classes of all names, of those that matter. */
static unsigned common_classes(const struct object *object, unsigned classes)
{
    for (const struct field *field = object->first; field && classes; field = field->next)
        classes &= key_classes(field->key);
    return object->first ? classes : 0;
}

bool object_has_data_names(const struct object *object)
{
    return common_classes(object, KEYS_CERTAIN);
}

/* ---- values that agree ---- */

static bool have_one_kind(const struct object *object)
{
    struct shape together = { 0 };
    for (const struct field *field = object->first; field; field = field->next) {
        together.seen |= field->shape.seen;
        if (field->shape.object)
            together.object = field->shape.object;
    }
    return shape_kind(&together) != KIND_UNION;
}

/* Names of one class of data, or most of them: the others are such as "created" among versions. */
static bool are_mostly_data(const struct object *object)
{
    enum { MOSTLY_MIN = 3, MOSTLY_PERCENT = 60 };
    size_t count = 0;
    for (const struct field *field = object->first; field; field = field->next)
        count += (key_classes(field->key) & KEYS_CERTAIN) != 0;
    return object->field_count >= MOSTLY_MIN && 100 * count >= MOSTLY_PERCENT * object->field_count;
}

bool object_is_map(const struct object *object, struct text container)
{
    if (object->field_count < 2 || !have_one_kind(object))
        return false;
    unsigned classes = common_classes(object, ~0U);
    return classes & KEYS_CERTAIN || are_mostly_data(object) ||
           object_is_likely_map(object, classes, container);
}

/* ---- chosen by the request ---- */

/* The next name of a pointer, unescaped. */
static struct text next_name(const char **at, char name[static POINTER_BYTES])
{
    size_t size = 0;
    for ((*at)++; **at && **at != '/' && size < POINTER_BYTES; (*at)++) {
        char c = **at;
        if (c == '~' && ((*at)[1] == '0' || (*at)[1] == '1'))
            c = *++(*at) == '0' ? '~' : '/';
        name[size++] = c;
    }
    return (struct text){ name, size };
}

static bool is_element(struct text name)
{
    int64_t index;
    return text_is(name, "*") || num_parse(name, INT32_MAX, &index);
}

/* One step into a shape; NULL: nothing there. */
static struct shape *step_into(const struct model *model, const struct shape *shape,
                               struct text name)
{
    const struct object *object = shape_object(shape);
    if (shape->items && (!object || is_element(name)))
        return is_element(name) ? shape->items : NULL;
    if (object && object->is_map)
        return &object->first->shape;
    uint32_t key;
    struct field *field = object && names_find(&model->keys, name, &key)
                              ? model_find_field(model, object, key)
                              : NULL;
    return field ? &field->shape : NULL;
}

static bool choose(struct model *model, const char *pointer, struct err *err)
{
    const struct shape *shape = &model->root;
    char name[POINTER_BYTES];

    for (const char *at = pointer; shape && *at;)
        shape = *at == '/' ? step_into(model, shape, next_name(&at, name)) : NULL;
    struct object *object = shape ? shape_object(shape) : NULL;
    if (!object || !object->first)
        return err_set(err, ERR_INVALID_VALUE,
                       "each of maps must be a JSON pointer to an object with members, such as "
                       "/rates; * means every element of an array");
    if (!object->is_map)
        model_make_map(model, object);
    return true;
}

bool maps_choose(struct model *model, const cJSON *pointers, struct err *err)
{
    const cJSON *pointer;
    cJSON_ArrayForEach(pointer, pointers)
        if (!choose(model, json_text(pointer, ""), err))
            return false;
    return true;
}
