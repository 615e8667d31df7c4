/* svc-reports/performance-audit/page.h - the result as a page. */
#pragma once

#include <cjson/cJSON.h>

#include "paper/paper.h"

/* Write the result of performance-audit, as it is answered, onto a page that has begun: its grade,
 * summary and sections. */
void audit_page(const cJSON *result, struct paper *paper);
