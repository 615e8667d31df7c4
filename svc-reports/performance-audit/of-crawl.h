/* svc-reports/performance-audit/of-crawl.h - how fast a page is that was crawled already. */
#pragma once

#include "crawl/crawl.h"
#include "svc/job.h"

/* Add the members of the tool's result; samples: of the page's times, as they were ordered. */
void performance_of_crawl(const struct job *job, const struct crawl *crawl, unsigned samples,
                          cJSON *result);
