/*
 * svc-security/openapi-validate/check/evaluate.h - validate examples and defaults against their
 * schema. Unknown parts, such as unresolved references, count as valid.
 */
#pragma once

#include "check.h"
#include "jsonschema/validator.h"

/* readOnly properties are not required in a request, writeOnly ones not in a response. */
enum direction { DIRECTION_EITHER, DIRECTION_REQUEST, DIRECTION_RESPONSE };

/* Returns NULL if the value is valid, otherwise the failing keyword (static), with the place in
 * *where. */
const char *evaluate(struct check *check, const struct node *schema, const struct node *value,
                     enum direction direction, const struct node **where);

/* How the validator reads the document's schemas. */
struct validator_options evaluate_options(const struct check *check);

/* May a value in this direction lack the property that the schema requires? */
bool evaluate_may_lack(enum direction direction, const struct node *schema, struct text name);

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
bool fits_number_format(struct text format, const struct decimal *number);

/* The greatest or least integer of the format; NULL: not a format of integers. */
const char *integer_limit(struct text format, bool is_upper);
