/* svc-reports/carbon-footprint/from-crawl.h - the footprint of a crawled page, with the defaults of
 * a request that has only a url. */
#pragma once

#include "crawl/crawl.h"
#include "svc/job.h"

/* Add the members of the tool's result; job->data is that of carbon_data. The green hosting query
 * ends at the deadline. */
void carbon_from_crawl(const struct job *job, const struct crawl *crawl, int64_t deadline_ms,
                       cJSON *result);
