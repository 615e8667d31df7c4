/*
 * svc-security/openapi-validate/check/paths.h - paths and their templates.
 */
#pragma once

#include "openapi-validate/document/node.h"

/* The methods of a path item, in lower case; ends with NULL. */
extern const char *const path_methods[];

/* The path item of an operation. */
const struct node *path_item_of(const struct node *operation);

/* Iterate over the variables {name} of a template: start with *at = 0 and call until it returns
 * false. Unbalanced braces end the iteration with *is_balanced false. */
bool next_variable(struct text template, size_t *at, struct text *name, bool *is_balanced);

/* Are all literal parts of a template good? Stops at unbalanced braces. */
bool literals_are(struct text template, bool (*is_good)(struct text part));

/* The template with the variable names removed. Templates with the same shape match the same
 * paths. */
struct text path_shape(struct arena *arena, struct text path);
