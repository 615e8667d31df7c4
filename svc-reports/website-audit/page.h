/* svc-reports/website-audit/page.h - the result as a page. */
#pragma once

#include <cjson/cJSON.h>

#include "paper/paper.h"

/* Write the result of website-audit, as it is answered, onto a page that has begun. */
void website_page(const cJSON *result, struct paper *paper);
