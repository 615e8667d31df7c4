/*
 * svc-ai/schema/subset.h - the subset of JSON Schema in which a customer may describe an answer.
 *
 * Keywords: type (also a list with null), properties, required, items, enum, const, title,
 * description, format (schema/format.h), minimum, maximum, minLength, maxLength, minItems,
 * maxItems, additionalProperties (no schema). References and annotations are for
 * schema/resolve.h. Any other keyword is rejected. The top is an object, or an array of objects.
 */
#pragma once

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/err.h"

enum {
    SUBSET_BYTES = 8 << 10, /* printed size of a schema */
    SUBSET_DEPTH = 5,       /* nested schemas, including the top */
    SUBSET_PROPERTIES = 100,
    SUBSET_CHOICES = 100,
    SUBSET_PATH_BYTES = 1 << 10,
};

/* Read a customer's schema into one without references and annotations, owned by the caller.
 * ignored as in schema_resolve(). `field` names it in errors: ERR_INVALID_SCHEMA for invalid JSON
 * Schema, ERR_UNSUPPORTED_SCHEMA for what this subset does not support, both with the path. */
bool subset_read(const cJSON *source, const char *field, cJSON *ignored, cJSON **schema,
                 struct err *err) must_check;

/* Whether the top is an array. subset_object() then made it the member "items" of an object. */
bool subset_is_list(const cJSON *schema);

/* A copy with an object at the top, owned by the caller. This and all functions below need a
 * schema that was read. */
cJSON *subset_object(const cJSON *schema);

/* The form that every provider can enforce, owned by the caller: an object at the top, every
 * property required, optional ones also null, nothing else allowed, bounds and formats in
 * descriptions. */
cJSON *subset_strict(const cJSON *schema);

/* Append an object {path, message} to faults for each problem, up to max in the list. An optional
 * property may be null. Paths are like "items[0].price", empty at the top. Returns whether there is
 * no problem. */
bool subset_check(const cJSON *schema, const cJSON *value, size_t max, cJSON *faults);

/* Whether the node's types include this one ("string", "null" …). */
bool subset_has_type(const cJSON *schema, const char *type);

/* Whether the object's schema requires the property of that name. */
bool subset_requires(const cJSON *schema, const char *name);
