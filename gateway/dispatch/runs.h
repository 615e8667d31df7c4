/*
 * gateway/dispatch/runs.h - the jobs that a gateway has in hand, by job id. Used by the dispatcher
 * thread alone (gateway/dispatch/dispatch.c) from dispatch_submit() until its waiter is woken.
 */
#pragma once

#include "gateway/dispatch/fair-queue.h"
#include "gateway/dispatch/job.h"
#include "gateway/dispatch/workers.h"

enum { RUN_BUCKETS = 1024 };

/* A job on its way; its call's thread made it and frees it. A sub-job's is the dispatcher's own. */
struct run {
    struct fair_item item; /* first: the fair queue's view of it */
    struct run *next;      /* in the inbox, then in its bucket */
    struct dispatch *dispatch;
    const struct dispatch_job *job;
    struct dispatch_reply *reply;
    struct group *group;
    struct worker *worker; /* NULL: queued */
    const struct worker *avoid;
    uint32_t attempt;
    struct run *parent;    /* of a sub-job, while it is in hand; else NULL */
    unsigned subjobs;      /* asked for by its worker */
    unsigned subjobs_open; /* of them in hand */
    unsigned refusals;     /* NACKs, of workers that may come again as others */
    int64_t started_us;
    int64_t queue_deadline_ms;
    int64_t attempt_deadline_ms;
    struct err err;               /* why it failed */
    void (*ended)(void *context); /* told when it has ended */
    void *context;
};

/* A hash table: zero is an empty one. The last bytes of a UUIDv7 are random. */
struct runs {
    size_t count;
    struct run *bucket[RUN_BUCKETS];
};

void runs_add(struct runs *runs, struct run *run);
void runs_remove(struct runs *runs, struct run *run); /* it must be there */
struct run *runs_find(const struct runs *runs, const struct uuid *id);
