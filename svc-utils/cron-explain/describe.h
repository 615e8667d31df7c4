/* svc-utils/cron-explain/describe.h - a schedule in English, in the wording of cronstrue. */
#pragma once

#include "cron-explain/expression/cron.h"

struct cron_wording {
    bool is_24_hour; /* 17:30 instead of 05:30 PM */
    bool is_verbose; /* says "every hour" and "every day" even if they add nothing */
};

/* Append the whole description: "Every 5 minutes, Monday through Friday". */
void cron_describe(const struct cron *cron, const struct cron_wording *wording, struct buf *out);

/* Append the description of one field: "every 5 minutes". */
void cron_describe_field(const struct cron *cron, const struct cron_wording *wording,
                         enum cron_field field, struct buf *out);
