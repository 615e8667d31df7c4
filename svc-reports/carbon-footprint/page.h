/* svc-reports/carbon-footprint/page.h - the result as an HTML report. */
#pragma once

#include <cjson/cJSON.h>

#include "html-report/html-report.h"

/* Add the result of carbon-footprint to a page after html_report_begin(). */
void footprint_page(const cJSON *result, struct html_report *page);
