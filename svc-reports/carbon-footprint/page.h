/* svc-reports/carbon-footprint/page.h - the result as a page. */
#pragma once

#include <cjson/cJSON.h>

#include "paper/paper.h"

/* Write the result of carbon-footprint, as it is answered, onto a page that has begun. */
void footprint_page(const cJSON *result, struct paper *paper);
