/*
 * portal/public/schema-rows.h - the fields of a request or result as rows of a table.
 */
#pragma once

#include <cjson/cJSON.h>
#include <stdbool.h>

#include "base/buf.h"

/*
 * Append a row for each property of a schema of a contract's document and, behind it, for those
 * nested in it: { path: "warnings[].code", indent: 0 to 3, type: "array of string", default
 * (shown), is_required, limits: "at most 100 000 characters", about }. What has the same fields as
 * one before it says so instead of repeating them.
 */
void schema_rows(const cJSON *schema, cJSON *list);

/* "string", "integer or string", "array of string", "uuid"; any when nothing is said. */
void schema_type_write(const cJSON *schema, struct buf *out);

/* "one of a, b; 1 to 60 characters"; nothing when there is no limit. */
void schema_limits_write(const cJSON *schema, struct buf *out);

/* A value as a reader writes it: a text without its quotes, unless it is empty; else JSON. */
void value_write(const cJSON *value, struct buf *out);

/* Has the object's list `required` this name? */
bool schema_requires(const cJSON *schema, const char *name);
