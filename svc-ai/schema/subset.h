/*
 * svc-ai/schema/subset.h - the part of JSON Schema that a customer may describe an answer with.
 *
 * Keywords: type (also a list with null), properties, required, items, enum, const, title,
 * description, format (schema/format.h), minimum, maximum, minLength, maxLength, minItems,
 * maxItems, additionalProperties (false only); $schema, $comment and examples are taken and say
 * nothing. Everything else is refused rather than ignored. The top is an object, or an array of
 * objects.
 */
#pragma once

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/err.h"

enum {
    SUBSET_BYTES = 8 << 10, /* of a schema, printed */
    SUBSET_DEPTH = 5,       /* of schemas within each other; the top is the first */
    SUBSET_PROPERTIES = 100,
    SUBSET_CHOICES = 100,
    SUBSET_PATH_BYTES = 1 << 10,
};

/* Is it a schema of this kind? `field` names it in errors: ERR_INVALID_SCHEMA for what is wrong in
 * JSON Schema too, ERR_UNSUPPORTED_SCHEMA for what is not taken here, both with the place. */
bool subset_check_schema(const cJSON *schema, const char *field, struct err *err) must_check;

/* Is the top an array? Then subset_object() made it the member "items" of an object. */
bool subset_is_list(const cJSON *schema);

/* A copy whose top is an object, the caller's. The schema must have been checked; so for all below.
 */
cJSON *subset_object(const cJSON *schema);

/* The form that every provider can enforce, the caller's: an object at the top, every property
 * required, those that were not also null, nothing else allowed; bounds and formats as words of the
 * description. */
cJSON *subset_strict(const cJSON *schema);

/* Append to faults, a list, an object {path, message} for each departure, at most max of them in
 * all. A property that is not required may be null. Paths are as "items[0].price", empty at the
 * top. True when there is none. */
bool subset_check(const cJSON *schema, const cJSON *value, size_t max, cJSON *faults);

/* The types of a node: is this ("string", "null" …) one of them? */
bool subset_has_type(const cJSON *schema, const char *type);

/* Is the property of that name required by the object's schema? */
bool subset_requires(const cJSON *schema, const char *name);
