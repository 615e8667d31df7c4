/*
 * svc-reports/performance-audit/report.h - from facts and verdicts to the result.
 */
#pragma once

#include <cjson/cJSON.h>

#include "performance-audit/facts.h"
#include "performance-audit/rules.h"

struct audit {
    const struct crawl *crawl;
    const struct public_suffixes *suffixes;
    unsigned samples; /* ordered */
    int64_t now_ms;
    struct facts facts;
    struct assessment assessment;
};

/* Add the members of the result. */
void audit_write(const struct audit *audit, cJSON *result);
