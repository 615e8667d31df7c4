/*
 * svc-security/openapi-validate/stats.h - how much there is in a document.
 */
#pragma once

#include <cjson/cJSON.h>

#include "openapi-validate/check/check.h"

/* Add the member stats to the result; all zero for a document that was not walked. */
void stats_add(const struct check *check, cJSON *result);
