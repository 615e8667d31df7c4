/* svc-reports/carbon-footprint/of-crawl.h - the footprint of a page that was crawled already, as
 * the tool tells it when it is asked for nothing but a url. */
#pragma once

#include "crawl/crawl.h"
#include "svc/job.h"

/* Add the members of the tool's result; job->data is that of carbon_data. Who is asked about green
 * hosting has until the deadline. */
void carbon_of_crawl(const struct job *job, const struct crawl *crawl, int64_t deadline_ms,
                     cJSON *result);
