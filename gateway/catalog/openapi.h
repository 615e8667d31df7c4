/*
 * gateway/catalog/openapi.h - the contracts and limits as an OpenAPI 3.1 document, for
 * /openapi.json.
 */
#pragma once

#include "gateway/catalog/catalog.h"
#include "svc/limits.h"

#define OPENAPI_VERSION "1.0.0" /* of the API; the product has its own */

/*
 * The document as JSON text, the caller's: one tag for each group and one operation for each
 * contract of the catalog, in their order, and the reading of the balance. public_url is the base
 * address without a final slash. Our extensions of JSON Schema become x-agent, x-aliases,
 * x-allow-nul and x-hint-type; one_of_required becomes anyOf or oneOf. x-build is the version and
 * build of the gateway. Every operation has x-credits and x-rate-limit, every tool x-open-world.
 * Limits must have each contract's rate_class, and `account`.
 */
char *openapi_build(const struct catalog *catalog, const struct limits *limits,
                    const char *public_url);
