/*
 * common/base/os/memory-budget.h - a limit on the memory that all threads of a process use together
 * for received data, and for what is made from it.
 *
 * Hundreds of jobs or calls run at once, and each may receive megabytes. A job has a small part
 * without a reservation; it reserves more here first, and releases it at its end.
 */
#pragma once

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/os/memory-trim.h"

enum {
    RESERVATION_TRIM_BYTES = 16 << 20, /* from this size on, freed memory returns to the system
                                          before others may reserve it: otherwise the heap of this
                                          thread would keep it */
};

/* Used by all threads. */
struct memory_budget {
    size_t bytes;
    size_t free_bytes; /* a reservation up to this size is not counted, and takes no lock */
    const char *crowded;
    struct memory_trim *trim; /* borrowed; NULL: each thread trims itself */
    pthread_mutex_t mutex;    /* guards left_bytes */
    pthread_cond_t freed;
    size_t left_bytes;
};

/* A part of a budget that is in use; by value, and a zero struct reserves nothing. */
struct reservation {
    struct memory_budget *budget;
    size_t bytes;
};

/* crowded: the error message when the budget is used up; borrowed. */
void memory_budget_open(struct memory_budget *budget, size_t bytes, size_t free_bytes,
                        const char *crowded);
void memory_budget_close(struct memory_budget *budget); /* no reservation may be left */

/*
 * Grow the reservation to `bytes` in total, which must not exceed the whole budget; it never
 * shrinks. Waits for other reservations to be released until deadline_ms, by clock_ms(); 0: does
 * not wait. A caller that waits must not hold another reservation of the same budget. Errors:
 * ERR_OVERLOADED if the budget is used up; then the reservation is unchanged.
 */
bool memory_budget_reserve(struct memory_budget *budget, size_t bytes, int64_t deadline_ms,
                           struct reservation *reservation, struct err *err) must_check;

/* Release a reservation, after its memory has been freed. */
void reservation_free(struct reservation *reservation);

/* Bytes reserved now, for metrics. */
size_t memory_budget_reserved(struct memory_budget *budget);
