/*
 * svc-utils/json-to-code/model/model.h - what a sample says about its types.
 *
 * A shape is what was seen at one place. All elements of an array are one place, and so are equally
 * named members of all objects of one type. Every object of the sample first gets its own struct
 * object. Objects of the same type are merged, which turns the tree into a graph when a type
 * contains itself. A merged shape describes everything that was merged into it.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/buf.h"
#include "text/names.h"

/* Merging two shapes is the OR of these bits, in any order. */
enum seen {
    SEEN_NULL = 1 << 0,
    SEEN_BOOLEAN = 1 << 1,
    SEEN_INTEGER = 1 << 2,  /* that fits int64 */
    SEEN_NEGATIVE = 1 << 3, /* such an integer below 0 */
    SEEN_UNSIGNED = 1 << 4, /* an integer that fits only uint64 */
    SEEN_HUGE = 1 << 5,     /* an integer that fits neither */
    SEEN_UNSAFE = 1 << 6,   /* an integer above 2^53 or below -2^53 */
    SEEN_NUMBER = 1 << 7,   /* written with a fraction or an exponent */
    SEEN_STRING = 1 << 8,
    SEEN_ARRAY = 1 << 10,
    SEEN_OBJECT = 1 << 11,
    SEEN_EMPTY = 1 << 12,      /* an empty array or object */
    SEEN_EMPTY_TEXT = 1 << 13, /* an empty string */
    SEEN_BOUND =
        1
        << 14, /* an integer equal to +-2^53, which doubles cannot distinguish from the next one */
    SEEN_MISFIT_SHIFT = 16, /* from this bit on: bit i for a string that does not have format i */
};

enum kind {
    KIND_ANY, /* unknown */
    KIND_NULL,
    KIND_BOOLEAN,
    KIND_INTEGER,
    KIND_UNSIGNED,
    KIND_NUMBER,
    KIND_STRING,
    KIND_ARRAY,
    KIND_OBJECT,
    KIND_MAP,   /* an object whose names are data */
    KIND_UNION, /* several of the kinds from KIND_BOOLEAN */
};

struct shape {
    unsigned seen;         /* bits of enum seen */
    struct shape *items;   /* of the arrays; NULL: no array */
    struct object *object; /* of the objects, use shape_object(); NULL: no object */
    struct values *values; /* of the texts; NULL: no text, or not requested */
    const char *own_name;  /* of a union or an enum, if a language must name it; else NULL */
};

struct field {
    struct field *next;
    struct text key;
    uint32_t key_number; /* in model.keys */
    size_t seen;         /* number of objects of its type that have it */
    bool is_repeated;    /* an object has it more than once */
    struct shape shape;
};

struct object {
    uint32_t number;       /* in the order of the sample */
    struct object *merged; /* the object that it was merged into */
    struct field *first;   /* in the order of the sample; a map has one field, for its values */
    struct field *last;
    size_t field_count;
    size_t seen; /* number of objects of the sample merged into this one */
    bool is_map;
    bool is_recursive;
    unsigned visit;        /* the last traversal that came here */
    bool is_open;          /* that traversal is still inside */
    struct object *parent; /* at its first occurrence; NULL: the root */
    const char *base;      /* preferred name */
    const char *name;      /* final name */
    const char *path;      /* of the first occurrence: $.orders[].customer */
    size_t rank;           /* in model.inner_first */
};

struct note {
    const char *path;
    const char *code;
    const char *message;
};

struct object_list {
    size_t count;
    size_t capacity;
    struct object **item;
};

struct model {
    struct arena arena;
    struct names keys;  /* every member name, once */
    struct names links; /* object and key; link has the field at the same index */
    struct field **link;
    size_t link_capacity;
    struct pair *pending; /* shapes that are not merged yet */
    size_t pending_count;
    size_t pending_capacity;
    uint32_t object_count;
    unsigned visit;
    bool wants_enums; /* set both before a sample is read */
    bool wants_date_times;
    const char *package; /* of Go, Java, Kotlin, C# and PHP; NULL: the language's default */
    struct shape root;
    const char *root_name;
    struct object_list types;       /* named types, in the order of the sample */
    struct object_list inner_first; /* the same, each after the types that it contains */
    size_t note_count;
    struct note *notes;
    bool notes_are_cut;
};

void model_free(struct model *model);

/* ---- building ---- */

struct object *model_add_object(struct model *model);

/* The field of an object, added if it is missing. */
struct field *model_field(struct model *model, struct object *object, struct text key);
struct field *model_find_field(const struct model *model, const struct object *object,
                               uint32_t key_number); /* NULL: none */

/* Merge two shapes, or two objects, into one; `from` must not be used afterwards. */
void model_merge(struct model *model, struct shape *into, struct shape *from);
void model_merge_objects(struct model *model, struct object *into, struct object *from);

/* Merge all fields of an object into one, for the values of a map. */
void model_make_map(struct model *model, struct object *object);

/* Append and grow if needed; model_free() releases the list's memory. */
void object_list_add(struct object_list *list, struct object *object);

/* ---- reading ---- */

/* The object that this one was merged into, or itself. */
struct object *object_of(struct object *object);

/* The type of a shape's objects; NULL: no objects. */
struct object *shape_object(const struct shape *shape);

/*
 * The kinds seen, as bits 1 << KIND_..., without null and any. At most one is a number: the
 * narrowest one for all numbers.
 */
unsigned shape_kinds(const struct shape *shape);

/* The only kind of a shape. Use shape_is_nullable() to learn whether null occurs besides it. */
enum kind shape_kind(const struct shape *shape);
bool shape_is_nullable(const struct shape *shape);

/* The values of a map. */
static inline struct shape *object_values(const struct object *map)
{
    return &map->first->shape;
}

/* Are all values texts (or null), and the texts words of an enum (values.h)? */
bool shape_is_enum(const struct shape *shape);

/* Are all texts times that the languages' own types can store, and did the request ask for that? */
bool shape_is_date_time(const struct shape *shape);

/* Is a field missing in some objects of its type? */
static inline bool field_is_optional(const struct object *object, const struct field *field)
{
    return field->seen < object->seen;
}
