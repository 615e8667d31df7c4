/*
 * gateway/ledger/lacks.h - what PostgreSQL, which answers, lacks to write: room on its disk,
 * memory, or being the primary. Told by a counter, a line of the log, and lacks_why().
 */
#pragma once

#include <stdatomic.h>
#include <stdint.h>

#include "admin/metrics.h"

enum lack { LACK_NONE, LACK_DISK, LACK_MEMORY, LACK_WRITES, LACKS };

struct lacks {
    _Atomic enum lack lack; /* as it was last told */
    _Atomic int64_t until_ms;
    struct counter *refused[LACKS];
};

/* Make the counters; before the first transaction. */
void lacks_start(struct lacks *lacks, struct metrics *metrics);

/* A transaction was refused with this SQLSTATE. Each time is counted, and the log has when it
 * begins. What still finds room is done meanwhile, so one batch that was done does not end it. By
 * one thread. */
void lacks_note(struct lacks *lacks, const char *sqlstate);

/* What PostgreSQL lacks, as it said in the last ten seconds; else NULL. By any thread. */
const char *lacks_why(struct lacks *lacks);
