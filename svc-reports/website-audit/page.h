/* svc-reports/website-audit/page.h - the result as a page. */
#ifndef SVC_REPORTS_WEBSITE_AUDIT_PAGE_H
#define SVC_REPORTS_WEBSITE_AUDIT_PAGE_H

#include <cjson/cJSON.h>

#include "paper/paper.h"

/* Write the result of website-audit, as it is answered, onto a page that has begun. */
void website_page(const cJSON *result, struct paper *paper);

#endif
