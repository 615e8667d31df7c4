/*
 * gateway/ledger/degraded.h - why PostgreSQL responds but cannot write: its disk is full, it is out
 * of memory, or it is a standby. Reported by a counter, a log line and degraded_reason().
 */
#pragma once

#include <stdatomic.h>
#include <stdint.h>

#include "admin/metrics.h"

enum degraded_cause { CAUSE_NONE, CAUSE_DISK, CAUSE_MEMORY, CAUSE_READ_ONLY, CAUSES };

struct degraded {
    _Atomic enum degraded_cause cause; /* of the last failed write */
    _Atomic int64_t until_ms;
    struct counter *refused[CAUSES];
};

/* Create the counters. Call before the first transaction. */
void degraded_init(struct degraded *degraded, struct metrics *metrics);

/* PostgreSQL rejected a transaction with this SQLSTATE. Count it; log the first of a series. The
 * state lasts 10 s after the last one: small writes may still succeed on a full disk, so a success
 * does not end it. For one thread. */
void degraded_record(struct degraded *degraded, const char *sqlstate);

/* Why PostgreSQL cannot write, if that was so in the last 10 s; else NULL. For any thread. */
const char *degraded_reason(struct degraded *degraded);
