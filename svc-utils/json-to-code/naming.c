/* svc-utils/json-to-code/naming.c - names for types. */
#include "naming.h"

#include <string.h>

#include "base/mem.h"
#include "base/num.h"
#include "json-to-code/languages/idents.h"
#include "json-to-code/model/words.h"
#include "place.h"

enum { PREFIXED_BYTES = 128 }; /* a name with its parent's name in front does not get longer */

/* Names that the generated code uses, or that a language defines. */
static const char *const reserved[] = {
#include "reserved-types.def"
};

bool model_root_is_object(const struct model *model)
{
    return shape_kind(&model->root) == KIND_OBJECT;
}

size_t model_type_count(const struct model *model)
{
    return model->types.count + !model_root_is_object(model);
}

/* ---- preferred names ---- */

static const char *root_name(struct model *model, struct text wanted)
{
    struct words words;
    words_split(&words, wanted);
    const char *name = words_join(&words, WORDS_PASCAL, &model->arena);
    return name ? name : "Root";
}

static const char *join_names(struct model *model, const char *first, const char *second)
{
    scoped(mem_free) char *joined = str_format("%s%s", first, second);
    return arena_copy(&model->arena, text_of(joined));
}

/* The name of the member; for an element, in the singular. */
static const char *base_name(struct model *model, const struct place *place)
{
    const struct place *base = place_base(place);
    bool is_element = base != place;
    struct words words;

    words_split(&words, base->field ? base->field->key : text_of(model->root_name));
    bool is_changed = is_element && words_singular(&words);
    const char *name = words_join(&words, WORDS_PASCAL, &model->arena);
    if (!base->field && is_element && !is_changed)
        return join_names(model, model->root_name, "Item");
    return name ? name : "Field";
}

/* ---- list of types ---- */

static void collect_types(struct model *model, struct shape *shape, const struct place *place);

static void meet_object(struct model *model, struct object *object, const struct place *place)
{
    object->parent = place_base(place)->parent;
    object->base = base_name(model, place);
    object->path = place_path(place, &model->arena);
    object_list_add(&model->types, object);
    for (struct field *field = object->first; field; field = field->next)
        collect_types(model, &field->shape, &(struct place){ .parent = object, .field = field });
    object->rank = model->inner_first.count;
    object_list_add(&model->inner_first, object);
}

static void collect_types(struct model *model, struct shape *shape, const struct place *place)
{
    if (shape->items)
        collect_types(model, shape->items, &(struct place){ .outer = place });
    struct object *object = shape_object(shape);
    if (!object || object->visit == model->visit)
        return;
    object->visit = model->visit;
    if (object->is_map)
        collect_types(model, object_values(object),
                      &(struct place){ .outer = place, .is_map = true });
    else
        meet_object(model, object, place);
}

static void list_types(struct model *model)
{
    model->visit++;
    model->types.count = 0;
    model->inner_first.count = 0;
    collect_types(model, &model->root, &(struct place){ 0 });
}

/* ---- equal types ---- */

/* What two equal types have in common. All bytes are set, so that memcmp() works. */
struct signature {
    uint32_t base; /* number of the name */
    uint32_t field_count;
    uint64_t fields; /* sum over all fields, independent of their order */
};

static uint64_t mix_hash(uint64_t sum, uint64_t value)
{
    sum = (sum ^ value) * 0x9E3779B97F4A7C15U; /* 2^64 over the golden ratio */
    return sum ^ sum >> 29;
}

static uint64_t hash_shape(const struct object *self, const struct shape *shape)
{
    uint64_t hash = mix_hash(shape_kinds(shape), shape_is_nullable(shape));
    const struct object *object = shape_object(shape);
    if (shape->items)
        hash = mix_hash(hash, hash_shape(self, shape->items));
    if (object && object->is_map)
        hash = mix_hash(hash, hash_shape(self, object_values(object)));
    else if (object)
        hash = mix_hash(hash, object == self ? UINT32_MAX : object->number);
    return hash;
}

static struct text type_signature(struct model *model, struct names *bases,
                                  const struct object *object)
{
    struct signature *signature = arena_get(&model->arena, sizeof(*signature));
    struct text base = text_of(words_fold(object->base, &model->arena));
    names_add(bases, 0, base);
    names_find(bases, base, &signature->base);
    signature->field_count = (uint32_t)object->field_count;
    for (const struct field *field = object->first; field; field = field->next)
        signature->fields += mix_hash(hash_shape(object, &field->shape),
                                      2ULL * field->key_number + field_is_optional(object, field));
    return (struct text){ (const char *)signature, sizeof(*signature) };
}

static bool are_alike_shapes(const struct object *a, const struct shape *in_a,
                             const struct object *b, const struct shape *in_b)
{
    const struct object *object_a = shape_object(in_a);
    const struct object *object_b = shape_object(in_b);
    if (shape_kinds(in_a) != shape_kinds(in_b) ||
        shape_is_nullable(in_a) != shape_is_nullable(in_b) || !in_a->items != !in_b->items ||
        !object_a != !object_b)
        return false;
    if (in_a->items && !are_alike_shapes(a, in_a->items, b, in_b->items))
        return false;
    if (object_a && object_a->is_map)
        return are_alike_shapes(a, object_values(object_a), b, object_values(object_b));
    return object_a == object_b || (object_a == a && object_b == b);
}

static bool are_alike(const struct model *model, const struct object *a, const struct object *b)
{
    for (const struct field *field = a->first; field; field = field->next) {
        const struct field *other = model_find_field(model, b, field->key_number);
        if (!other || field_is_optional(a, field) != field_is_optional(b, other) ||
            !are_alike_shapes(a, &field->shape, b, &other->shape))
            return false;
    }
    return a->field_count == b->field_count;
}

/* Inner types first: then types that contain equal types also contain the same type. */
static void join_alike(struct model *model)
{
    scoped(names_free) struct names bases = { 0 };
    scoped(names_free) struct names signatures = { 0 };
    scoped(mem_free) struct object **signed_by =
        mem_array(model->inner_first.count, sizeof(*signed_by));

    for (size_t i = 0; i < model->inner_first.count; i++) {
        struct object *object = model->inner_first.item[i];
        struct text signature = type_signature(model, &bases, object);
        uint32_t index;
        if (!names_find(&signatures, signature, &index)) {
            names_add(&signatures, 0, signature);
            signed_by[signatures.count - 1] = object;
        } else if (are_alike(model, signed_by[index], object)) {
            model_merge_objects(model, signed_by[index], object);
        }
    }
}

/* ---- final names ---- */

static const char *unreserved_name(struct model *model, const char *name)
{
    for (size_t i = 0; i < countof(reserved); i++)
        if (strcmp(reserved[i], name) == 0)
            return join_names(model, name, "Type");
    return name;
}

static const char *free_name(struct model *model, struct idents *taken, const char *base,
                             const struct object *parent)
{
    const char *name = unreserved_name(model, base);
    if (idents_add(taken, name, &model->arena))
        return name;
    if (parent && strlen(parent->name) + strlen(name) <= PREFIXED_BYTES)
        name = unreserved_name(model, join_names(model, parent->name, base));
    return idents_unique(taken, name, &model->arena);
}

/* Some languages must name a union or an enum: type and field form the name. */
static void name_unions(struct model *model, struct idents *taken, struct shape *shape,
                        const struct place *place)
{
    if ((shape_kind(shape) == KIND_UNION || shape_is_enum(shape)) && !shape->own_name) {
        const struct object *parent = place_base(place)->parent;
        const char *base = base_name(model, place);
        if (parent && strlen(parent->name) + strlen(base) <= PREFIXED_BYTES)
            base = join_names(model, parent->name, base);
        shape->own_name = idents_unique(taken, unreserved_name(model, base), &model->arena);
    }
    if (shape->items)
        name_unions(model, taken, shape->items, &(struct place){ .outer = place });
    struct object *object = shape_object(shape);
    if (object && object->is_map)
        name_unions(model, taken, object_values(object),
                    &(struct place){ .outer = place, .is_map = true });
}

static void assign_names(struct model *model)
{
    scoped(idents_free) struct idents taken = { .ignores_case = true };

    model->root_name = unreserved_name(model, model->root_name);
    idents_add(&taken, model->root_name, &model->arena);
    for (size_t i = 0; i < model->types.count; i++) {
        struct object *object = model->types.item[i];
        bool is_root = i == 0 && model_root_is_object(model);
        object->name =
            is_root ? model->root_name : free_name(model, &taken, object->base, object->parent);
    }
    name_unions(model, &taken, &model->root, &(struct place){ 0 });
    for (size_t i = 0; i < model->types.count; i++) {
        struct object *object = model->types.item[i];
        for (struct field *field = object->first; field; field = field->next)
            name_unions(model, &taken, &field->shape,
                        &(struct place){ .parent = object, .field = field });
    }
}

bool name_types(struct model *model, struct text wanted, struct err *err)
{
    model->root_name = root_name(model, wanted);
    list_types(model);
    join_alike(model);
    list_types(model);
    if (model_type_count(model) > TYPES_MAX)
        return err_set(err, ERR_TOO_COMPLEX, "sample has more than %d types", TYPES_MAX);
    assign_names(model);
    return true;
}
