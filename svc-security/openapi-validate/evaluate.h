/*
 * svc-security/openapi-validate/evaluate.h - does a value fit a schema? For examples and defaults.
 * What is not known, as where a reference leads, counts as good: it never guesses.
 */
#pragma once

#include "openapi-validate/check/check.h"

/* readOnly properties are not required in a request, writeOnly ones not in a response. */
enum direction { DIRECTION_EITHER, DIRECTION_REQUEST, DIRECTION_RESPONSE };

/* NULL: it fits. Else the keyword that it fails, which lives for ever, and *where in the value. */
const char *evaluate(struct check *check, const struct node *schema, const struct node *value,
                     enum direction direction, const struct node **where);

/* Report a value that does not fit. */
void check_example(struct check *check, enum rule rule, const struct node *schema,
                   const struct node *value, enum direction direction);

/* The example and examples of a parameter, header or media type against its schema. */
void check_examples(struct check *check, const struct node *owner, enum direction direction);

/* The default of a schema, or of a parameter of Swagger 2.0. */
void check_default(struct check *check, const struct node *schema);

/* ---- formats ---- */

/* Does the text have the form? True for a format that is not known. */
bool fits_text_format(struct text format, struct text text);
bool fits_number_format(struct text format, const struct node *number);
