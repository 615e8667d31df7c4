/* svc-reports/website-audit/page.h - the result as an HTML report. */
#pragma once

#include <cjson/cJSON.h>

#include "html-report/html-report.h"

/* Add the result of website-audit to a page after html_report_begin(). */
void website_page(const cJSON *result, struct html_report *page);
