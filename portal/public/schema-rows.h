/*
 * portal/public/schema-rows.h - the fields of a request or result as rows of a table.
 */
#pragma once

#include <cjson/cJSON.h>
#include <stdbool.h>

#include "base/buf.h"

/*
 * Append a row for each property of a schema, followed by its nested ones: {path:
 * "warnings[].code", indent: 0 to 3, type: "array of string", default (shown), is_required, limits:
 * "at most 100,000 characters", about}. A property with the same fields as an earlier one refers to
 * it instead of repeating them.
 */
void schema_rows(const cJSON *schema, cJSON *list);

/* "string", "integer or string", "array of string", "uuid"; "any" without a type. */
void schema_type_write(const cJSON *schema, struct buf *out);

/* "one of a, b; 1 to 60 characters"; nothing without limits. */
void schema_limits_write(const cJSON *schema, struct buf *out);

/* A value for readers: a text without quotes, unless it is empty; otherwise JSON. */
void value_write(const cJSON *value, struct buf *out);

/* Is this name in the object's list `required`? */
bool schema_requires(const cJSON *schema, const char *name);
