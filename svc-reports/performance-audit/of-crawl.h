/* svc-reports/performance-audit/of-crawl.h - how fast a page is that was crawled already. */
#ifndef SVC_REPORTS_PERFORMANCE_AUDIT_OF_CRAWL_H
#define SVC_REPORTS_PERFORMANCE_AUDIT_OF_CRAWL_H

#include "crawl/crawl.h"
#include "svc/job.h"

/* Add the members of the tool's result; samples: of the page's times, as they were ordered. */
void performance_of_crawl(const struct job *job, const struct crawl *crawl, unsigned samples,
                          cJSON *result);

#endif
