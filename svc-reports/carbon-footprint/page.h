/* svc-reports/carbon-footprint/page.h - the result as a page. */
#ifndef SVC_REPORTS_CARBON_FOOTPRINT_PAGE_H
#define SVC_REPORTS_CARBON_FOOTPRINT_PAGE_H

#include <cjson/cJSON.h>

#include "paper/paper.h"

/* Write the result of carbon-footprint, as it is answered, onto a page that has begun. */
void footprint_page(const cJSON *result, struct paper *paper);

#endif
