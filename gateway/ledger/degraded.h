/*
 * gateway/ledger/degraded.h - what PostgreSQL, which answers, lacks to write: room on its disk,
 * memory, or being the primary. Told by a counter, a line of the log, and degraded_reason().
 */
#pragma once

#include <stdatomic.h>
#include <stdint.h>

#include "admin/metrics.h"

enum degraded_cause { CAUSE_NONE, CAUSE_DISK, CAUSE_MEMORY, CAUSE_READ_ONLY, CAUSES };

struct degraded {
    _Atomic enum degraded_cause cause; /* as it was last told */
    _Atomic int64_t until_ms;
    struct counter *refused[CAUSES];
};

/* Make the counters; before the first transaction. */
void degraded_init(struct degraded *degraded, struct metrics *metrics);

/* A transaction was refused with this SQLSTATE. Each time is counted, and the log has when it
 * begins. What still finds room is done meanwhile, so one batch that was done does not end it. By
 * one thread. */
void degraded_record(struct degraded *degraded, const char *sqlstate);

/* What PostgreSQL lacks, as it said in the last ten seconds; else NULL. By any thread. */
const char *degraded_reason(struct degraded *degraded);
