/*
 * gateway/catalog/openapi-schema.h - a contract's schemas (common/svc/schema.h) as OpenAPI 3.1 has
 * them, which is JSON Schema 2020-12.
 */
#pragma once

#include <cjson/cJSON.h>
#include <stdbool.h>

/* The caller's. What JSON Schema does not know has another name or form, and what a contract need
 * not say is said. */
cJSON *schema_convert(const cJSON *schema);

/* The schema of a whole request or result, which is an object whether it says so or not. */
cJSON *schema_convert_object(const cJSON *schema);

/* Is the text an item of the list? NULL is an empty one. */
bool schema_lists(const cJSON *list, const char *wanted);
