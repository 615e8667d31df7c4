/*
 * svc-security/openapi-validate/diff/view.h - a schema as one flat set of keywords: what its
 * references, its allOf and a choice between it and null come down to.
 */
#pragma once

#include "openapi-validate/check/check.h"

enum { VIEW_PARTS_MAX = 32 };

/* bits of a set of types */
enum type_bits {
    BIT_NULL = 1 << 0,
    BIT_BOOLEAN = 1 << 1,
    BIT_INTEGER = 1 << 2,
    BIT_NUMBER = 1 << 3, /* with every integer */
    BIT_STRING = 1 << 4,
    BIT_ARRAY = 1 << 5,
    BIT_OBJECT = 1 << 6,
    BIT_ALL = (1 << 7) - 1,
};

/* By value; borrows the document. */
struct view {
    const struct node *part[VIEW_PARTS_MAX];
    size_t count;
    size_t unknown; /* parts in other documents */
    unsigned version;
    const struct node *choice; /* its oneOf or anyOf without null; NULL: none */
    bool choice_has_null;
    size_t work; /* how much was looked at, for who counts steps */
};

/* What a schema comes down to. NULL and true come down to nothing, which takes anything. */
void view_of(const struct check *check, const struct node *schema, struct view *view);

/* A keyword, of the first part that has it; NULL: none. */
const struct node *view_get(const struct view *view, const char *keyword);

/* Its types without null, BIT_ALL when it says none, and whether it may be null. */
unsigned view_types(const struct view *view);
bool view_is_nullable(const struct view *view);
bool view_has_type_list(const struct view *view); /* more than one type, as in 3.1 */

/* Is the property among the required ones? */
bool view_requires(const struct view *view, struct text name);

/* A property of any part; NULL: none. */
const struct node *view_property(const struct view *view, struct text name);
