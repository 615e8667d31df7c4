/*
 * portal/page/envelope.h - an answer to a program: {"result":…,"success":…,"errors":[…]}, the form
 * that all JSON of the API has.
 */
#pragma once

#include "base/err.h"
#include "portal/page/visit.h"

/* Answer 200 with a result, which is taken over (NULL: an empty one). */
void envelope_result(struct visit *visit, cJSON *result);

/* Answer what went wrong; 503 says to come back in a few seconds. */
void envelope_error(struct visit *visit, const struct err *err);
