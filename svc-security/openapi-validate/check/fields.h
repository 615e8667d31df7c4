/*
 * svc-security/openapi-validate/check/fields.h - the objects of the specifications as a table:
 * which fields each has in which version, and of what kind.
 */
#pragma once

#include "openapi-validate/document/node.h"

/* bits of a set of versions */
enum version {
    NONE = 0,
    V20 = 1 << 0,
    V30 = 1 << 1,
    V31 = 1 << 2,
    V32 = 1 << 3,
    V31_UP = V31 | V32,
    V3 = V30 | V31 | V32,
    ALL = V20 | V3,
};

enum type {
    TYPE_NOTHING,
    TYPE_CONTAINER, /* a list or map that a field has */
    /* plain values */
    TYPE_ANY,
    TYPE_STRING,
    TYPE_MARKDOWN,
    TYPE_URI,       /* a URI-reference, RFC 3986 section 4.1 */
    TYPE_WHOLE_URI, /* with a scheme */
    TYPE_OPERATION_REF,
    TYPE_EMAIL,
    TYPE_MIME,
    TYPE_REGEX,
    TYPE_WORD, /* one of the field's words */
    TYPE_BOOL,
    TYPE_NUMBER,
    TYPE_POSITIVE,
    TYPE_COUNT, /* an integer that is not negative */
    TYPE_SCHEMA_OR_BOOL,
/* objects */
#define OBJECT(type, label, reference, extensible, shape, entries) TYPE_##type,
#include "fields.def"
    TYPE_COUNT_OF_TYPES,
};

enum shape {
    SHAPE_ONE,
    SHAPE_LIST,
    SHAPE_MAP,          /* an object with members of any name */
    SHAPE_NAMED,        /* the same, whose names are letters, digits and . - _ */
    SHAPE_MAP_OF_LISTS, /* an object whose members are lists */
};

struct object_type {
    const char *label;   /* in the ids of rules; "" for the document */
    unsigned references; /* versions in which a Reference Object may stand for it */
    bool is_extensible;  /* takes fields that begin with x- */
    enum shape entries_shape;
    enum type entries; /* what members of any name are; TYPE_NOTHING: only fields are known */
};

struct field {
    const char *names; /* separated by blanks; of a required field one */
    enum type object;
    unsigned versions;
    unsigned required; /* the versions in which it must be there */
    enum shape shape;
    enum type type;
    const char *words; /* of a TYPE_WORD, separated by blanks */
};

/* What an object type is; NULL for plain values. */
const struct object_type *object_type(enum type type);

/* The fields of an object type; *count of them, which may be 0. */
const struct field *fields_of(enum type type, size_t *count);

/* The row of a field for a version; when that version has none, its row of another one; NULL: no
 * version has it. */
const struct field *field_find(enum type type, unsigned version, struct text name);

/* The version that a document is of, as its bit; 0 when it says none that is known. */
unsigned version_of(const struct node *root);
