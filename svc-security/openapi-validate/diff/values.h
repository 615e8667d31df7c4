/*
 * svc-security/openapi-validate/diff/values.h - compare the constraints of two schemas on the value
 * itself.
 */
#pragma once

#include "changes.h"
#include "view.h"

/* Two flattened schemas. */
struct schema_pair {
    const struct schema_spot *spot;
    const struct node *was; /* the old schema */
    const struct node *at;  /* the new one */
    struct view old;
    struct view new;
};

/* Report a change at the schema, or at its keyword. `from` and `to` may be NULL. */
void diff_note(struct diff *diff, const struct schema_pair *pair, enum schema_change_kind kind,
               const struct node *from, const struct node *to);

/* Do callers send values of the schema? Then accepting less breaks them. */
bool diff_is_sent(const struct schema_pair *pair);

/* Are two nodes equal? Both may be NULL. Counts steps, and stops at the limit for very large
 * ones. */
bool diff_is_same(struct diff *diff, const struct node *a, const struct node *b);

/* Is the new schema a list of the old value, as forms and queries send it? */
bool diff_is_list_of(const struct diff *diff, const struct schema_pair *pair);

/* Compare type, null, enum, const, other keywords, bounds and discriminators. */
void diff_values(struct diff *diff, const struct schema_pair *pair);
