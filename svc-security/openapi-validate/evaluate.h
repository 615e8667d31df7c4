/*
 * svc-security/openapi-validate/evaluate.h - validate examples and defaults against their schema.
 * Unknown parts, such as unresolved references, count as valid.
 */
#pragma once

#include "openapi-validate/check/check.h"

/* readOnly properties are not required in a request, writeOnly ones not in a response. */
enum direction { DIRECTION_EITHER, DIRECTION_REQUEST, DIRECTION_RESPONSE };

/* Returns NULL if the value is valid, otherwise the failing keyword (static), with the place in
 * *where. */
const char *evaluate(struct check *check, const struct node *schema, const struct node *value,
                     enum direction direction, const struct node **where);

/* Report an invalid value. */
void check_example(struct check *check, enum rule rule, const struct node *schema,
                   const struct node *value, enum direction direction);

/* Check example and examples of a parameter, header or media type. */
void check_examples(struct check *check, const struct node *owner, enum direction direction);

/* Check the default of a schema, or of a parameter of Swagger 2.0. */
void check_default(struct check *check, const struct node *schema);

/* ---- formats ---- */

/* Does the text match the format? True for unknown formats. */
bool fits_text_format(struct text format, struct text text);
bool fits_number_format(struct text format, const struct node *number);
