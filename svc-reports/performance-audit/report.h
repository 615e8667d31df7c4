/*
 * svc-reports/performance-audit/report.h - from facts and verdicts to what the caller is told.
 */
#pragma once

#include <cjson/cJSON.h>

#include "performance-audit/facts.h"
#include "performance-audit/rules.h"

struct audit {
    const struct crawl *crawl;
    const struct public_suffixes *suffixes;
    unsigned samples; /* that were asked for */
    int64_t now_ms;
    struct facts facts;
    struct judgement judgement;
};

/* Add the members of the result. */
void audit_write(const struct audit *audit, cJSON *result);
