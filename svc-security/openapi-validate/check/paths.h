/*
 * svc-security/openapi-validate/check/paths.h - paths and their templates.
 */
#pragma once

#include "openapi-validate/document/node.h"

/* The methods of a path item, in lower case, ended by NULL. */
extern const char *const path_methods[];

/* The path item that an operation is in. */
const struct node *path_item_of(const struct node *operation);

/* The parts {name} of a template: call it with *at = 0 until it is false. An unbalanced brace ends
 * it with *is_balanced false. */
bool next_variable(struct text template, size_t *at, struct text *name, bool *is_balanced);

/* Is every part of a template good that is no variable? Braces that do not match end it. */
bool literals_are(struct text template, bool (*is_good)(struct text part));

/* A template with empty braces, which is what it matches. */
struct text path_shape(struct arena *arena, struct text path);
