/*
 * svc-reports/carbon-footprint/report.h - from grams to the result.
 */
#pragma once

#include <cjson/cJSON.h>

#include "carbon-footprint/green.h"
#include "carbon-footprint/knowledge.h"
#include "carbon-footprint/model.h"
#include "crawl/crawl.h"
#include "crawl/totals.h"

/* Source of the green hosting value. */
struct hosting {
    bool is_known;
    bool is_stated;    /* in the request */
    const char *host;  /* that was looked up, or NULL */
    const char *error; /* if the lookup failed */
    struct green green;
};

struct report {
    const struct knowledge *knowledge;
    const char *url, *final_url; /* NULL without a url */
    const struct crawl *crawl;   /* NULL if the page was not fetched */
    struct totals totals;        /* of the crawl */
    int64_t bytes;
    int64_t monthly_views;
    struct usage usage;
    struct hosting hosting;
    struct footprint footprint;
};

/* Add the members of the result. */
void report_write(const struct report *report, int64_t now_ms, cJSON *result);
