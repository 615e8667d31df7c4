/*
 * gateway/catalog/openapi-parts.h - what the operations of the OpenAPI document have in common:
 * references, envelopes, prices and errors.
 */
#pragma once

#include <cjson/cJSON.h>
#include <stdint.h>

#include "svc/limits.h"

extern const char openapi_json[]; /* the media type */

/* A reference to components/kind/name. */
void openapi_add_ref(cJSON *object, const char *kind, const char *name);

/* A schema with a type; returns it. */
cJSON *openapi_add_typed(cJSON *object, const char *name, const char *type);

/* A list of strings, which end with NULL; returns it. */
cJSON *openapi_add_strings(cJSON *object, const char *name, const char *const *strings);

/* The headers of a response, one of the lists of openapi-headers.h. */
void openapi_add_header_refs(cJSON *response, const char *const *names);

/* The schema of a result in the envelope; takes over result. Returns the media type. */
cJSON *openapi_add_envelope(cJSON *content, cJSON *result);

/* Price and limits. The class must be one of the limits'. */
void openapi_add_price(cJSON *operation, int64_t credits, const struct limits *limits,
                       const char *class_name);

void openapi_start_operation(cJSON *operation, const char *id, const char *tag, const char *summary,
                             const char *description);

/* Whose errors: a tool's by method, the account's, of an operation with a body, or of a public
 * document. */
enum { FOR_POST = 1, FOR_GET = 2, FOR_ACCOUNT = 4, FOR_CHANGE = 8, FOR_DOCUMENT = 16 };

/* The errors of an operation: those of these kinds, and its contract's, which may be NULL. */
void openapi_add_failures(cJSON *responses, unsigned kinds, const cJSON *own_errors);

/* The components that these refer to: headers, and responses of errors. */
void openapi_add_shared_headers(cJSON *components);
void openapi_add_shared_responses(cJSON *components);
