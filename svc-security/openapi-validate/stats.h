/*
 * svc-security/openapi-validate/stats.h - statistics of a document.
 */
#pragma once

#include <cjson/cJSON.h>

#include "openapi-validate/check/check.h"

/* Add the member stats to the result; all zero if the document was not visited. */
void stats_add(const struct check *check, cJSON *result);
