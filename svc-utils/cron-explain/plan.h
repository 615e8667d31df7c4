/* svc-utils/cron-explain/plan.h - the data that the result and its warnings are made of. */
#pragma once

#include <cjson/cJSON.h>

#include "base/num.h"
#include "cron-explain/expression/paste.h"
#include "describe.h"
#include "runs.h"

enum {
    CRON_RUNS_MAX = 100,
    CRON_INTERVAL_RUNS = 50, /* this many equal intervals make interval_seconds */
};

struct plan {
    struct cron_paste paste;
    struct cron cron; /* of paste.expression */
    struct zone *zone;
    enum cron_dst dst;
    struct cron_wording wording;
    int64_t from_ms;
    int from_year; /* local to the zone */
    size_t wanted;
    size_t run_count; /* more than wanted, to detect an equal interval */
    struct cron_run runs[MAX(CRON_RUNS_MAX, CRON_INTERVAL_RUNS + 1)];
    size_t previous_wanted;
    size_t previous_count;
    struct cron_run previous[CRON_RUNS_MAX]; /* latest first */
    bool is_changed;                         /* a clock change affects a run within a year */
    struct cron_run change;                  /* the first affected run */
};

bool plan_never_runs(const struct plan *plan);

/* Add "warnings" to the result, in the order of warnings.def. */
void plan_warn(const struct plan *plan, cJSON *result);
