/*
 * svc-security/openapi-validate/diff/view.h - a schema as one flat set of keywords, merged from its
 * references, its allOf and a choice between it and null.
 */
#pragma once

#include <string.h>

#include "openapi-validate/check/check.h"

enum { VIEW_PARTS_MAX = 32 };

/* bit set of types */
enum type_bits {
    BIT_NULL = 1 << 0,
    BIT_BOOLEAN = 1 << 1,
    BIT_INTEGER = 1 << 2,
    BIT_NUMBER = 1 << 3, /* includes integers */
    BIT_STRING = 1 << 4,
    BIT_ARRAY = 1 << 5,
    BIT_OBJECT = 1 << 6,
    BIT_ALL = (1 << 7) - 1,
};

/* Borrows the document. */
struct view {
    const struct node *part[VIEW_PARTS_MAX];
    size_t count;
    size_t unknown; /* number of parts in unavailable documents */
    unsigned version;
    uint64_t names;            /* which keywords the parts may have: a bit for some names each */
    const struct node *choice; /* its oneOf or anyOf without null, or NULL */
    bool choice_has_null;
    size_t work; /* steps to count for building it */
};

/* Flatten a schema. NULL and true become an empty view, which accepts anything. */
void view_of(const struct check *check, const struct node *schema, struct view *view);

/* Merge one more schema into the view, such as one of the schemas of its choice. */
void view_add(struct view *view, const struct node *schema);

/* The bit of a name in `names`. */
static inline uint64_t view_bit_of(struct text name)
{
    unsigned char first = name.size > 0 ? (unsigned char)name.bytes[0] : 0;
    unsigned char last = name.size > 0 ? (unsigned char)name.bytes[name.size - 1] : 0;
    return (uint64_t)1 << ((first * 5U + last * 11U + name.size) & 63);
}

const struct node *view_find(const struct view *view, struct text keyword);

/* The keyword of the first part that has it, or NULL. Most lookups are of keywords that a schema
 * does not have, so this is fast for them. */
static inline const struct node *view_get(const struct view *view, const char *keyword)
{
    struct text name = { keyword, strlen(keyword) };
    return view->names & view_bit_of(name) ? view_find(view, name) : NULL;
}

/* Its types without null; BIT_ALL without a type. */
unsigned view_types(const struct view *view);
bool view_is_nullable(const struct view *view);
bool view_has_type_list(const struct view *view); /* several types, as in 3.1 */

/* Is the property required? */
bool view_requires(const struct view *view, struct text name);

/* A property of any part, or NULL. */
const struct node *view_property(const struct view *view, struct text name);
