/*
 * svc-ai/schema/resolve.h - a customer's schema without references and annotations.
 */
#pragma once

#include <cjson/cJSON.h>
#include <stdbool.h>

#include "base/err.h"

enum {
    RESOLVE_DEPTH = 16,       /* nested schemas, with those of references */
    RESOLVE_REFERENCES = 200, /* in all: definitions may multiply */
    RESOLVE_IGNORED = 10,
};

/*
 * A copy, owned by the caller:
 * - "$ref" to #/definitions/NAME or #/$defs/NAME is replaced by that schema
 * - annotations are dropped: default, readOnly, $id … and any name that neither JSON Schema
 *   nor OpenAPI defines. The paths of the latter are appended to ignored, which may be NULL,
 * because they may be spelling errors; x-… is not
 *
 * All other members stay, also those of keywords that the subset does not support. `field` names
 * the schema in errors: ERR_UNSUPPORTED_SCHEMA for another reference, one that contains itself, or
 * one with keywords next to it; ERR_INVALID_SCHEMA for one to nothing, or too many.
 */
bool schema_resolve(const cJSON *schema, const char *field, cJSON *ignored, cJSON **resolved,
                    struct err *err) must_check;
