/*
 * svc-security/openapi-validate/diff/schema.h - two schemas beside each other, for the files that
 * compare them: values.c what they say of the value itself, schema.c what is inside.
 */
#ifndef OPENAPI_VALIDATE_DIFF_SCHEMA_H
#define OPENAPI_VALIDATE_DIFF_SCHEMA_H

#include "diff.h"
#include "view.h"

/* Two schemas, flattened. */
struct both {
    const struct spot *spot;
    const struct node *at; /* the new schema */
    struct view old;
    struct view new;
};

/* Report a change at the schema, or at the word that says it. `from` and `to` may be NULL. */
void diff_note(struct diff *diff, const struct both *both, enum schema_change_kind kind,
               const struct node *from, const struct node *to);

/* Whether callers send values of the schema: then one that takes less breaks them. */
bool diff_is_sent(const struct both *both);

/* Whether two nodes, or none, are equal; counts the work. */
bool diff_is_same(struct diff *diff, const struct node *a, const struct node *b);

/* Compare type, null, enum, const and other words beside them, and bounds. */
void diff_values(struct diff *diff, const struct both *both);

#endif
