/*
 * portal/page/envelope.h - a JSON response for programs: {"result":…,"success":…,"errors":[…]}, as
 * everywhere in the API.
 */
#pragma once

#include "base/err.h"
#include "portal/page/visit.h"

/* Respond 200 with a result, which is taken over (NULL: an empty one). */
void envelope_result(struct visit *visit, cJSON *result);

/* Respond with an error. A 503 has Retry-After. */
void envelope_error(struct visit *visit, const struct err *err);
