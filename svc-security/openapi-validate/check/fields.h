/*
 * svc-security/openapi-validate/check/fields.h - the objects of the specifications as a table: the
 * fields of each version, and their types.
 */
#pragma once

#include "openapi-validate/document/node.h"

/* bit set of versions */
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
    TYPE_CONTAINER, /* a list or map of a field */
    /* plain values */
    TYPE_ANY,
    TYPE_STRING,
    TYPE_MARKDOWN,
    TYPE_URI,       /* a URI reference, RFC 3986 section 4.1 */
    TYPE_WHOLE_URI, /* with a scheme */
    TYPE_OPERATION_REF,
    TYPE_EMAIL,
    TYPE_MIME,
    TYPE_REGEX,
    TYPE_WORD, /* one of the field's words */
    TYPE_BOOL,
    TYPE_NUMBER,
    TYPE_POSITIVE,
    TYPE_COUNT, /* a non-negative integer */
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
    SHAPE_NAMED,        /* the same, with names of letters, digits and . - _ */
    SHAPE_MAP_OF_LISTS, /* an object whose members are lists */
};

struct object_type {
    const char *label;   /* in ids of rules; "" for the document */
    unsigned references; /* versions in which a Reference Object is allowed instead */
    bool is_extensible;  /* allows fields that begin with x- */
    enum shape entries_shape;
    enum type entries; /* type of members of any name; TYPE_NOTHING: only the fields are allowed */
};

struct field {
    const char *names; /* separated by spaces; a required field has only one */
    enum type object;
    unsigned versions;
    unsigned required; /* versions that require it */
    enum shape shape;
    enum type type;
    const char *words; /* of a TYPE_WORD, separated by spaces */
};

/* The object type, or NULL for a plain value. */
const struct object_type *object_type(enum type type);

/* The fields of an object type; *count may be 0. */
const struct field *fields_of(enum type type, size_t *count);

/* The row of a field for this version, otherwise for another version, or NULL. */
const struct field *field_find(enum type type, unsigned version, struct text name);

/* The version of a document as a bit; 0 if unknown. */
unsigned version_of(const struct node *root);
