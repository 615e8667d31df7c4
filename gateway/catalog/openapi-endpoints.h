/*
 * gateway/catalog/openapi-endpoints.h - the other operations of the OpenAPI document:
 * the account, its tokens, the dry run, the prices, and MCP.
 */
#pragma once

#include <cjson/cJSON.h>

#include "gateway/catalog/catalog.h"
#include "svc/limits.h"

/* Add them to the document's paths. Limits must have the class `account`. */
void openapi_add_endpoints(cJSON *paths, const struct catalog *catalog,
                           const struct limits *limits);
