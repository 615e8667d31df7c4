/* svc-reports/performance-audit/page.h - the result as an HTML report. */
#pragma once

#include <cjson/cJSON.h>

#include "html-report/html-report.h"

/* Add the result of performance-audit to a page after html_report_begin(). */
void audit_page(const cJSON *result, struct html_report *page);
