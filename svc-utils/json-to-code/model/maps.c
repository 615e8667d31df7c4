/* svc-utils/json-to-code/model/maps.c - which objects are maps, by their names and values. */
#include "maps.h"

#include <string.h>

#include "base/num.h"
#include "base/scoped.h"
#include "format.h"
#include "keys.h"
#include "text/json.h"

enum {
    ALIKE_MIN = 10, /* objects with the same fields under any names: fewer may be a record */
    POINTER_BYTES = 512,
};

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

static bool has_name(const struct object *object, uint32_t key_number)
{
    for (const struct field *field = object->first; field; field = field->next)
        if (field->key_number == key_number)
            return true;
    return false;
}

/* The first value decides: the others must have most of its fields and few others. */
static bool is_similar(const struct object *a, const struct object *b)
{
    enum { FIELDS_MAX = 100 };
    size_t shared = 0;
    if (a == b)
        return true;
    if (a->field_count > FIELDS_MAX || b->field_count > FIELDS_MAX)
        return false;
    for (const struct field *field = b->first; field; field = field->next)
        shared += has_name(a, field->key_number);
    return shared > 0 && 2 * shared >= MAX(a->field_count, b->field_count);
}

static bool are_alike_objects(const struct object *object)
{
    const struct object *first = object->first ? shape_object(&object->first->shape) : NULL;
    if (!first || first->is_map)
        return false;
    for (const struct field *field = object->first; field; field = field->next) {
        const struct object *other = shape_object(&field->shape);
        if (!other || other->is_map || !is_similar(first, other))
            return false;
    }
    return true;
}

static unsigned seen_in_all(const struct object *object)
{
    unsigned seen = 0;
    for (const struct field *field = object->first; field; field = field->next)
        seen |= field->shape.seen;
    return seen;
}

/* Texts such as ^1.2.0, of which not all are plain versions. */
static bool are_version_ranges(unsigned seen)
{
    unsigned misfits = seen >> SEEN_MISFIT_SHIFT;
    return (seen & SEEN_STRING) && !(misfits & FORMAT_VERSION_RANGE) &&
           (misfits & FORMAT_PLAIN_VERSION);
}

/* ---- names that are likely to be data ---- */

static bool has_key(const struct object *object, const char *key)
{
    for (const struct field *field = object->first; field; field = field->next)
        if (text_is(field->key, key))
            return true;
    return false;
}

static size_t prefix_size(struct text key)
{
    size_t size = key.size;
    while (size > 0 && key.bytes[size - 1] >= '0' && key.bytes[size - 1] <= '9')
        size--;
    return size;
}

static bool have_one_prefix(const struct object *object)
{
    struct text first = object->first->key;
    size_t size = prefix_size(first);
    for (const struct field *field = object->first; field; field = field->next)
        if (prefix_size(field->key) != size || memcmp(field->key.bytes, first.bytes, size) != 0)
            return false;
    return true;
}

static bool is_likely(const struct object *object, unsigned classes)
{
    unsigned seen = seen_in_all(object);
    bool are_alike = are_alike_objects(object);

    if (classes & (KEY_CURRENCY | KEY_COUNTRY) && !has_key(object, "ID"))
        return are_alike || !(seen & SEEN_OBJECT);
    if (classes & KEY_LANGUAGE && has_key(object, "en"))
        return are_alike || !(seen & SEEN_OBJECT);
    if (classes & (KEY_TICKER | KEY_PHRASE) && are_alike)
        return true;
    if (classes & KEY_COUNTED && are_alike && have_one_prefix(object))
        return true;
    if (classes & KEY_PACKAGE && are_version_ranges(seen))
        return true;
    return are_alike && object->field_count >= ALIKE_MIN;
}

bool object_is_map(const struct object *object)
{
    if (object->field_count < 2 || !have_one_kind(object))
        return false;
    unsigned classes = common_classes(object, ~0U);
    return classes & KEYS_CERTAIN || is_likely(object, classes);
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
