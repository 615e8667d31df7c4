/*
 * gateway/dispatch/state.h - the dispatcher thread's state, shared by dispatch.c (the thread, its
 * timers, the functions for callers), jobs.c (queues, assignment, retries), messages.c (messages of
 * workers) and subjobs.c (their sub-jobs). Only the dispatcher thread uses it, except fields under
 * the mutex.
 */
#pragma once

#include <pthread.h>
#include <stdatomic.h>

#include "base/os/log.h"
#include "gateway/dispatch/dispatch.h"
#include "gateway/dispatch/fair-queue.h"
#include "gateway/dispatch/permits.h"
#include "gateway/dispatch/runs.h"
#include "gateway/dispatch/workers.h"

/* One kind of daemon: its workers and the jobs that wait for one. */
struct group {
    char name[WIRE_NAME_BYTES];
    struct dispatch *dispatch;
    size_t permits; /* taken */
    struct fair_queue queue;
    atomic_size_t workers;
    int64_t seen_ms;
    struct gauge *worker_gauge;
    struct gauge *queue_gauge;
};

struct dispatch {
    struct dispatch_options options;
    struct sock *sock;
    struct workers workers;
    struct group *groups;
    struct permits permits;
    pthread_t thread;
    pthread_mutex_t mutex; /* guards inbox, new_allow, is_stopping */
    struct run *inbox;
    struct allow *new_allow;
    bool is_stopping;
    int wakeup;
    int64_t started_ms;
    _Atomic int64_t newcomer_ms; /* when the newest worker connected */
    struct runs runs;            /* in progress */
    int64_t ticked_ms;
    uint64_t dropped_frames;
    struct counter *dropped;
    struct counter *late;
    struct counter *retried;
    struct counter *lost;
    struct counter *nacked;
    struct counter *refused;
    struct counter *subjobs;
    struct counter *subjobs_refused;
    struct log_pace ready_lines;
    struct log_pace refused_lines;
    struct log_pace left_lines;
    struct log_pace lost_lines;
    struct log_pace subjob_lines;
};

/* ---- jobs.c ---- */

/* Queue the job in its group, and send it if a worker is free. */
void run_accept(struct dispatch *dispatch, struct run *run);

/* Until when a job may wait for a worker, by clock_ms(). */
int64_t run_queue_until(const struct dispatch_job *job);

/* Call ended(); the run is freed by then. */
void run_finish(struct dispatch *dispatch, struct run *run);
void run_fail(struct dispatch *dispatch, struct run *run, enum err_kind kind, const char *why);
void run_fail_unfinished(struct dispatch *dispatch, struct run *run);

/* Fail a job that waits for a worker. */
void run_fail_queued(struct dispatch *dispatch, struct run *run, enum err_kind kind);

/* Send queued jobs while workers have free slots. A job that only its avoided worker could take
 * does not block the jobs behind it. */
void group_assign(struct dispatch *dispatch, struct group *group);

/* Return it to the head of the queue until until_ms at most. */
void run_requeue(struct run *run, int64_t until_ms);

/* Retry the job once on another worker, within its budget. */
void run_again(struct dispatch *dispatch, struct run *run);

/* Its worker is lost: retry it if its contract allows, else fail it. */
void run_retry_or_fail(struct dispatch *dispatch, struct run *run);

/* Call the function for each job of the worker. */
void each_run_of(struct dispatch *dispatch, const struct worker *worker,
                 void (*act)(struct dispatch *, struct run *));

void worker_remove(struct dispatch *dispatch, struct worker *worker);
void worker_is_dead(struct dispatch *dispatch, struct worker *worker, const char *why);

/* Remove the workers that a send found dead. */
void dispatch_reap(struct dispatch *dispatch);

/* ---- messages.c ---- */

void dispatch_on_message(struct dispatch *dispatch, const struct message *message);

/* ---- subjobs.c: jobs that a daemon requests while it runs one ----
 *
 * A sub-job is queued, scheduled and retried like any job. It differs in this:
 * 1. It belongs to a parent: a job that this gateway sent to the daemon that requests it, and that
 *    has no reply yet.
 * 2. It has the parent's account and the rest of the parent's time. It is not charged.
 * 3. The parent's contract lists its tool in `calls`. The tool is in another group, so that no
 *    parent waits for a slot that a parent occupies.
 * 4. When the parent is done, or is sent to another worker, its sub-jobs are dropped. */

struct subjob {
    struct run run;
    struct dispatch_job job;
    struct dispatch_reply reply;
    struct uuid asked_as; /* the daemon's id of it */
    char *body;
};

/* A worker's JOB message. It gets a REPLY, unless the parent is done by then. False: it violates
 * the protocol. */
bool subjob_on_message(struct dispatch *dispatch, struct worker *worker,
                       const struct message *message);
