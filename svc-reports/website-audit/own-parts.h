/*
 * svc-reports/website-audit/own-parts.h - the parts that are made here, of one crawl of the page:
 * performance and carbon.
 */
#pragma once

#include "crawl/crawl.h"
#include "svc/job.h"
#include "website-audit/site-audit.h"

/* Zero has no crawl. */
struct own_parts {
    struct crawl *crawl; /* audit->final_url is borrowed from it */
};

/* Make those that were asked for, before the deadline; none: nothing is crawled. */
void own_parts_make(const struct job *job, int64_t deadline_ms, struct site_audit *audit,
                    struct own_parts *own);
void own_parts_free(struct own_parts *own);
