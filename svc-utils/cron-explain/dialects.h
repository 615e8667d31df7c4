/* svc-utils/cron-explain/dialects.h - what other programs make of the expression. */
#pragma once

#include "plan.h"

/* Add "dialects" to the result, in the order of dialects.def. */
void plan_add_dialects(const struct plan *plan, cJSON *result);
