/* svc-reports/browser/page.h - the members `browser` and `screenshot` in an HTML report. */
#pragma once

#include <cjson/cJSON.h>

#include "html-report/html-report.h"

/* Add a section to the page; if the browser was not requested, one sentence says so. */
void browser_page(const cJSON *result, struct html_report *page);
