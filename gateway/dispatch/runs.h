/*
 * gateway/dispatch/runs.h - the gateway's jobs in progress, by job id. Only the dispatcher thread
 * (gateway/dispatch/dispatch.c) uses it, from dispatch_submit() until it wakes the waiter.
 */
#pragma once

#include <stdatomic.h>

#include "gateway/dispatch/fair-queue.h"
#include "gateway/dispatch/job.h"
#include "gateway/dispatch/workers.h"

enum { RUN_BUCKETS = 1024 };

/* A job in progress. The thread of its call makes and frees it; the dispatcher owns those of
 * sub-jobs. */
struct run {
    struct fair_item item; /* must be first: the fair queue's part */
    struct run *next;      /* in the inbox, then in its hash bucket */
    struct dispatch *dispatch;
    const struct dispatch_job *job;
    struct dispatch_reply *reply;
    struct group *group;
    struct worker *worker; /* NULL: queued */
    const struct worker *avoid;
    uint32_t attempt;
    struct run *parent;       /* of a sub-job, while the parent is in progress; else NULL */
    unsigned subjobs;         /* requested by its worker */
    unsigned subjobs_open;    /* of them in progress */
    unsigned refusals;        /* NACKs; a worker that reconnects counts again */
    atomic_bool is_cancelled; /* by the thread of its call */
    int64_t started_us;
    int64_t queue_deadline_ms;
    int64_t attempt_deadline_ms;
    struct err err;               /* why it failed */
    void (*ended)(void *context); /* called when it is done */
    void *context;
};

/* A hash table; all zero is empty. It hashes by the last bytes of the UUIDv7, which are random. */
struct runs {
    size_t count;
    struct run *bucket[RUN_BUCKETS];
};

void runs_add(struct runs *runs, struct run *run);
void runs_remove(struct runs *runs, struct run *run); /* it must be in the table */
struct run *runs_find(const struct runs *runs, const struct uuid *id);
