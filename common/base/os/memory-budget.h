/*
 * common/base/os/memory-budget.h - memory that all threads of a process share for what others send,
 * and for what is made of it.
 *
 * Hundreds of jobs or calls run at once, and each may be sent megabytes. What one needs beyond a
 * small part that everybody has, it claims here first, and gives back at its end.
 */
#pragma once

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

enum {
    RESERVATION_TRIM_BYTES =
        16 << 20, /* a claim from which on freed memory goes back to the system at
                   * once: this thread's heap would keep it from all others */
};

/* Used by all threads. */
struct memory_budget {
    size_t bytes;
    size_t free_bytes; /* what a claim may be without being counted: it takes no lock */
    const char *crowded;
    pthread_mutex_t mutex; /* guards left_bytes */
    pthread_cond_t freed;
    size_t left_bytes;
};

/* What somebody holds; by value, a zero struct holds nothing. */
struct reservation {
    struct memory_budget *budget;
    size_t bytes;
};

/* crowded is the sentence for who finds no room; borrowed. */
void memory_budget_open(struct memory_budget *budget, size_t bytes, size_t free_bytes,
                        const char *crowded);
void memory_budget_close(struct memory_budget *budget); /* nobody may hold anything of it */

/*
 * Let the claim grow to so many bytes in all, which must fit into an empty room; it never shrinks.
 * Waits for others to leave until deadline_ms, by clock_ms(); 0: does not wait. Whoever waits holds
 * nothing of the same room. Errors: ERR_OVERLOADED when there is no room; the claim stays as it is.
 */
bool memory_budget_reserve(struct memory_budget *budget, size_t bytes, int64_t deadline_ms,
                           struct reservation *reservation, struct err *err) must_check;

/* Give back what it holds; what it stood for has been freed. */
void reservation_free(struct reservation *reservation);

/* Bytes claimed right now, for metrics. */
size_t memory_budget_reserved(struct memory_budget *budget);
