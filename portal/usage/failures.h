/*
 * portal/usage/failures.h - failed calls by tool and error code, from the request log's sums by day
 * (gateway/sql/012-requests.sql), which do not have the token.
 */
#pragma once

#include "portal/usage/days.h"

/* Add has_failures, failed {calls, calls_noun} and failures [{tool, code, calls, is_explained}] to
 * the model, most calls first, at most 50; nothing if the filter has a token. */
bool failures_add(struct sql *sql, const struct usage_filter *filter, cJSON *model,
                  struct err *err) must_check;
