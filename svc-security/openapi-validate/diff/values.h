/*
 * svc-security/openapi-validate/diff/values.h - two schemas beside each other, and what they say of
 * the value itself.
 */
#pragma once

#include "changes.h"
#include "view.h"

/* Two schemas, flattened. */
struct both {
    const struct spot *spot;
    const struct node *was; /* the old schema */
    const struct node *at;  /* the new one */
    struct view old;
    struct view new;
};

/* Report a change at the schema, or at the word that says it. `from` and `to` may be NULL. */
void diff_note(struct diff *diff, const struct both *both, enum schema_change_kind kind,
               const struct node *from, const struct node *to);

/* Whether callers send values of the schema: then one that takes less breaks them. */
bool diff_is_sent(const struct both *both);

/* Whether two nodes, or none, are equal, as far as it can be told of very large ones; counts the
 * work. */
bool diff_is_same(struct diff *diff, const struct node *a, const struct node *b);

/* Whether the new schema is a list of items that hold what was one value, as forms and queries send
 * it. */
bool diff_is_list_of(const struct diff *diff, const struct both *both);

/* Compare type, null, enum, const and other words beside them, and bounds. */
void diff_values(struct diff *diff, const struct both *both);
