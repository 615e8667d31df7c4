/* svc-security/security-headers/report.h - an assessment as the result of the tool. */
#pragma once

#include <cjson/cJSON.h>

#include "assess.h"

/* Add the whole result; url is the requested URL in canonical form. */
void assessment_print(const struct assessment *assessment, const char *url, int64_t now_ms,
                      cJSON *result);
