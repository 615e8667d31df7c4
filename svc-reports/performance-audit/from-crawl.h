/* svc-reports/performance-audit/from-crawl.h - the audit of a crawled page. */
#pragma once

#include "crawl/crawl.h"
#include "svc/job.h"

/* Add the members of the tool's result; samples is the ordered number of page fetches. */
void performance_from_crawl(const struct job *job, const struct crawl *crawl, unsigned samples,
                            cJSON *result);
