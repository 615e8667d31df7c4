/*
 * svc-reports/website-audit/local-sections.h - the sections that this worker makes from one crawl
 * of the page: performance and carbon.
 */
#pragma once

#include "crawl/crawl.h"
#include "svc/job.h"
#include "website-audit/site-audit.h"

/* A zero struct is empty. */
struct local_sections {
    struct crawl *crawl; /* audit->final_url is borrowed from it */
};

/* Make the requested sections before the deadline. Crawls only if at least one is requested. */
void local_sections_run(const struct job *job, int64_t deadline_ms, struct site_audit *audit,
                        struct local_sections *own);
void local_sections_free(struct local_sections *own);
