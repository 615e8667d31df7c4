/*
 * svc-utils/json-to-code/model/model.h - what a sample says about its types.
 *
 * A shape is what was seen at one place: all elements of an array are one place, and so are the
 * members of one name of all objects that are one type. Every object of the sample first gets a
 * struct object of its own; objects that turn out to be one type are merged, which makes the tree a
 * graph when a type contains itself. What a merged shape says holds for everything merged into it.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/buf.h"
#include "text/names.h"

/* Merging two shapes is joining these bits, whatever the order. */
enum seen {
    SEEN_NULL = 1 << 0,
    SEEN_BOOLEAN = 1 << 1,
    SEEN_INTEGER = 1 << 2,  /* one that fits int64 */
    SEEN_NEGATIVE = 1 << 3, /* such a one below 0 */
    SEEN_UNSIGNED = 1 << 4, /* an integer that fits uint64 only */
    SEEN_HUGE = 1 << 5,     /* one that fits neither */
    SEEN_UNSAFE = 1 << 6,   /* one beyond +-2^53 */
    SEEN_NUMBER = 1 << 7,   /* written with a fraction or an exponent */
    SEEN_STRING = 1 << 8,
    SEEN_ARRAY = 1 << 10,
    SEEN_OBJECT = 1 << 11,
    SEEN_EMPTY = 1 << 12,      /* an array or object without content */
    SEEN_EMPTY_TEXT = 1 << 13, /* a string without content */
    SEEN_BOUND = 1 << 14, /* an integer that is +-2^53 itself: doubles hold the next as the same */
    SEEN_MISFIT_SHIFT = 16, /* above: bit i for a string that does not fit format i */
};

enum kind {
    KIND_ANY, /* nothing is known */
    KIND_NULL,
    KIND_BOOLEAN,
    KIND_INTEGER,
    KIND_UNSIGNED,
    KIND_NUMBER,
    KIND_STRING,
    KIND_ARRAY,
    KIND_OBJECT,
    KIND_MAP,   /* an object whose names are data */
    KIND_UNION, /* several of the above from KIND_BOOLEAN on */
};

struct shape {
    unsigned seen;         /* bits of enum seen */
    struct shape *items;   /* of the arrays; NULL when there was none */
    struct object *object; /* of the objects, through shape_object(); NULL when there was none */
    struct values *values; /* of the texts; NULL when there was none, or nobody asked */
    const char *own_name;  /* of a union or an enum, where a language must name it; else NULL */
};

struct field {
    struct field *next;
    struct text key;
    uint32_t key_number; /* in model.keys */
    size_t seen;         /* objects of its type that had it */
    bool is_repeated;    /* an object had it more than once */
    struct shape shape;
};

struct object {
    uint32_t number;       /* in the order of the sample */
    struct object *merged; /* the one it was merged into */
    struct field *first;   /* in the order of the sample; a map has one, for its values */
    struct field *last;
    size_t field_count;
    size_t seen; /* objects of the sample that became this */
    bool is_map;
    bool is_recursive;
    unsigned visit;        /* the last walk that came here */
    bool is_open;          /* that walk is still inside */
    struct object *parent; /* where it was met first; NULL: it is the root */
    const char *base;      /* the name it should have */
    const char *name;      /* the name it has */
    const char *path;      /* where it was met first: $.orders[].customer */
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
    struct names keys;  /* every name of a member, once */
    struct names links; /* object and key, to the field at the same index of link */
    struct field **link;
    size_t link_capacity;
    struct pair *pending; /* shapes still to be merged */
    size_t pending_count;
    size_t pending_capacity;
    uint32_t object_count;
    unsigned visit;
    bool wants_enums; /* both set before a sample is read */
    bool wants_date_times;
    struct shape root;
    const char *root_name;
    struct object_list types;       /* the named ones, in the order of the sample */
    struct object_list inner_first; /* the same, each behind those it contains */
    size_t note_count;
    struct note *notes;
    bool notes_are_cut;
};

void model_free(struct model *model);

/* ---- building ---- */

struct object *model_add_object(struct model *model);

/* The field of an object; added when it has none. */
struct field *model_field(struct model *model, struct object *object, struct text key);
struct field *model_find_field(const struct model *model, const struct object *object,
                               uint32_t key_number); /* NULL: none */

/* Make two shapes, or two objects, one; what is merged from is used up. */
void model_merge(struct model *model, struct shape *into, struct shape *from);
void model_merge_objects(struct model *model, struct object *into, struct object *from);

/* All fields of an object become one, for the values of a map. */
void model_make_map(struct model *model, struct object *object);

/* Append, growing as needed; the list's memory is released by model_free(). */
void object_list_add(struct object_list *list, struct object *object);

/* ---- reading ---- */

/* What an object was merged into; itself when it was not. */
struct object *object_of(struct object *object);

/* The type of the objects of a shape; NULL: none was seen. */
struct object *shape_object(const struct shape *shape);

/* The kinds seen, as bits 1 << KIND_...; null and any are none. Of the numbers there is one at
 * most: the narrowest that holds them all. */
unsigned shape_kinds(const struct shape *shape);

/* The one kind of a shape; null beside another kind is told by shape_is_nullable() alone. */
enum kind shape_kind(const struct shape *shape);
bool shape_is_nullable(const struct shape *shape);

/* Of a map: its values. */
static inline struct shape *object_values(const struct object *map)
{
    return &map->first->shape;
}

/* Are there texts only, which are words of an enum (values.h)? Null may be beside them. */
bool shape_is_enum(const struct shape *shape);

/* Are all texts times that the languages' own types hold, and does the request want those? */
bool shape_is_date_time(const struct shape *shape);

/* Is a field missing in some objects of its type? */
static inline bool field_is_optional(const struct object *object, const struct field *field)
{
    return field->seen < object->seen;
}
