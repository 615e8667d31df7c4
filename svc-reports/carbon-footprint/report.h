/*
 * svc-reports/carbon-footprint/report.h - from grams to what the caller is told.
 */
#pragma once

#include <cjson/cJSON.h>

#include "carbon-footprint/green.h"
#include "carbon-footprint/knowledge.h"
#include "carbon-footprint/model.h"
#include "crawl/crawl.h"
#include "crawl/totals.h"

/* Where green hosting is known from. */
struct hosting {
    bool is_known;
    bool is_stated;    /* by the request */
    const char *host;  /* that was looked up; NULL: none was */
    const char *error; /* when it was, and is not known */
    struct green green;
};

struct report {
    const struct knowledge *knowledge;
    const char *url, *final_url; /* NULL: there is none */
    const struct crawl *crawl;   /* NULL: nothing was measured */
    struct totals totals;        /* of it */
    int64_t bytes;
    int64_t monthly_views;
    struct usage usage;
    struct hosting hosting;
    struct footprint footprint;
};

/* Add the members of the result. */
void report_write(const struct report *report, int64_t now_ms, cJSON *result);
