/* svc-utils/json-to-code/notes.c - a table with one row for each note. */
#include "notes.h"

#include <string.h>

#include "base/mem.h"
#include "json-to-code/languages/target.h"
#include "place.h"

/* ---- of shapes ---- */

static bool is_empty_array(const struct shape *shape)
{
    return shape->items && shape_kind(shape->items) == KIND_ANY;
}

static bool is_only_null(const struct shape *shape)
{
    return shape_kind(shape) == KIND_NULL;
}

static bool is_mixed(const struct shape *shape)
{
    return shape_kind(shape) == KIND_UNION;
}

static bool is_overflow(const struct shape *shape)
{
    bool needs_both_signs = shape->seen & SEEN_UNSIGNED && shape->seen & SEEN_NEGATIVE;
    return shape->seen & SEEN_HUGE || needs_both_signs;
}

static bool is_unsafe(const struct shape *shape)
{
    return shape->seen & SEEN_UNSAFE && !is_overflow(shape);
}

static bool is_map(const struct shape *shape)
{
    const struct object *object = shape_object(shape);
    return object && object->is_map;
}

static const struct shape_note {
    const char *code;
    bool (*applies)(const struct shape *shape);
    const char *message;
} shape_notes[] = {
    { "empty_array", is_empty_array, "the array is empty, so the type of its elements is unknown" },
    { "only_null", is_only_null, "every value is null, so the type is unknown" },
    { "mixed_types", is_mixed, "the values have different types, so the type is a union" },
    { "integer_overflow", is_overflow,
      "an integer needs more than 64 bits, so the type is a floating-point number" },
    { "unsafe_integer", is_unsafe,
      "an integer is above 2^53, so JavaScript and other parsers that use doubles round it" },
    { "map_detected", is_map, "the names look like data, so the type is a map" },
    { "enum_detected", shape_is_enum,
      "the texts have few different values, so the type is an enum" },
};

/* ---- of types ---- */

static bool is_recursive(const struct object *object)
{
    return object->is_recursive;
}

static bool is_renamed(const struct object *object)
{
    return object->parent && strcmp(object->base, object->name) != 0;
}

static bool is_no_go_struct(const struct object *object)
{
    return !go_is_struct(object);
}

static bool is_no_kotlin_class(const struct object *object)
{
    return !kotlin_is_class(object);
}

static const struct type_note {
    const char *code;
    bool (*applies)(const struct object *object);
    const char *message;
} type_notes[] = {
    { "recursive", is_recursive, "the type contains itself" },
    { "renamed", is_renamed, "the name made from the member is already used or reserved" },
    { "map_fallback", is_no_go_struct,
      "a Go struct tag cannot contain one of the names, so the type is a map in Go" },
    { "map_fallback", is_no_kotlin_class,
      "a JVM class cannot have that many fields, so the type is a map in Kotlin" },
};

/* ---- collecting notes ---- */

static void add_note(struct model *model, const char *path, const char *code, const char *message)
{
    if (model->note_count == NOTES_MAX)
        model->notes_are_cut = true;
    else
        model->notes[model->note_count++] = (struct note){ path, code, message };
}

static void add_shape_notes(struct model *model, const struct shape *shape,
                            const struct place *place)
{
    for (size_t i = 0; i < countof(shape_notes); i++)
        if (shape_notes[i].applies(shape))
            add_note(model, place_path(place, &model->arena), shape_notes[i].code,
                     shape_notes[i].message);
    if (shape->items)
        add_shape_notes(model, shape->items, &(struct place){ .outer = place });
    if (is_map(shape))
        add_shape_notes(model, object_values(shape_object(shape)),
                        &(struct place){ .outer = place, .is_map = true });
}

static void add_type_notes(struct model *model, struct object *object)
{
    for (size_t i = 0; i < countof(type_notes); i++)
        if (type_notes[i].applies(object))
            add_note(model, object->path, type_notes[i].code, type_notes[i].message);
    for (const struct field *field = object->first; field; field = field->next) {
        struct place place = { .parent = object, .field = field };
        if (field->is_repeated)
            add_note(model, place_path(&place, &model->arena), "duplicate_key",
                     "an object has the name more than once; the last value is used");
        add_shape_notes(model, &field->shape, &place);
    }
}

void take_notes(struct model *model)
{
    model->notes = mem_array(NOTES_MAX, sizeof(*model->notes));
    add_shape_notes(model, &model->root, &(struct place){ 0 });
    for (size_t i = 0; i < model->types.count && !model->notes_are_cut; i++)
        add_type_notes(model, model->types.item[i]);
}
