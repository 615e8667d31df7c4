/*
 * gateway/catalog/openapi-schema.h - converts a contract's schemas (common/svc/schema.h) to OpenAPI
 * 3.1, that is JSON Schema 2020-12.
 */
#pragma once

#include <cjson/cJSON.h>
#include <stdbool.h>

/* Convert a schema; the caller frees the copy. Keywords that JSON Schema lacks are translated, and
 * defaults of contracts are made explicit. */
cJSON *schema_convert(const cJSON *schema);

/* The schema of a whole request or result: an object, also if the contract omits the type. */
cJSON *schema_convert_object(const cJSON *schema);

/* True: the list contains the text. NULL is an empty list. */
bool schema_lists(const cJSON *list, const char *wanted);
