/* svc-utils/cron-explain/plan.h - all that an answer is made of, and what is said of it. */
#pragma once

#include <cjson/cJSON.h>

#include "base/num.h"
#include "describe.h"
#include "runs.h"

enum {
    CRON_RUNS_MAX = 100,
    CRON_INTERVAL_RUNS = 50, /* that many equal intervals are a rule */
};

struct plan {
    struct cron cron;
    struct zone *zone;
    enum cron_dst dst;
    struct cron_wording wording;
    int64_t from_ms;
    int from_year; /* local to the zone */
    size_t wanted;
    size_t run_count; /* more than wanted, to see whether they keep an interval */
    struct cron_run runs[MAX(CRON_RUNS_MAX, CRON_INTERVAL_RUNS + 1)];
    size_t previous_wanted;
    size_t previous_count;
    struct cron_run previous[CRON_RUNS_MAX]; /* the latest first */
    bool is_changed;                         /* by clocks, within a year */
    struct cron_run change;                  /* the first such run */
};

bool plan_never_runs(const struct plan *plan);

/* Add "warnings" to the result: warnings.def, in its order. */
void plan_warn(const struct plan *plan, cJSON *result);
