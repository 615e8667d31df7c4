/*
 * gateway/dispatch/state.h - what the dispatcher thread has in hand, shared by its files:
 * dispatch.c (the thread, its clock, the way in), jobs.c (queues, assigning, second tries),
 * messages.c (what workers say) and subjobs.c (what they ask). Everything here is that thread's.
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

/* The daemons of one kind: the jobs that wait for one, and how many there are. */
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
    _Atomic int64_t newcomer_ms; /* when a worker came last */
    struct runs runs;            /* in hand */
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

/* Into its group's queue, and on to a worker if one is free. */
void run_accept(struct dispatch *dispatch, struct run *run);

/* How long a job may wait for a worker from now on, by clock_ms(). */
int64_t run_queue_until(const struct dispatch_job *job);

/* Tell that it has ended; the run is gone after this. */
void run_finish(struct dispatch *dispatch, struct run *run);
void run_fail(struct dispatch *dispatch, struct run *run, enum err_kind kind, const char *why);
void run_fail_unfinished(struct dispatch *dispatch, struct run *run);

/* Give up a job that waits for a worker. */
void run_fail_queued(struct dispatch *dispatch, struct run *run, enum err_kind kind);

/* Send what waits while there are free slots. A job that only the worker it avoids could take does
 * not hold up those behind it. */
void group_assign(struct dispatch *dispatch, struct group *group);

/* Back to the head of the queue, for at most until_ms. */
void run_requeue(struct run *run, int64_t until_ms);

/* The job's one second chance: on another worker, while its budget lasts. */
void run_again(struct dispatch *dispatch, struct run *run);

/* Its worker is lost: run_again() if it may be, else the end. */
void run_retry_or_fail(struct dispatch *dispatch, struct run *run);

/* Do it for each job the worker has. */
void each_run_of(struct dispatch *dispatch, const struct worker *worker,
                 void (*act)(struct dispatch *, struct run *));

void worker_remove(struct dispatch *dispatch, struct worker *worker);
void worker_is_dead(struct dispatch *dispatch, struct worker *worker, const char *why);

/* Bury those that a send found dead. */
void dispatch_reap(struct dispatch *dispatch);

/* ---- messages.c ---- */

void dispatch_on_message(struct dispatch *dispatch, const struct message *message);

/* ---- subjobs.c: jobs that a daemon asks for while it runs one ----
 *
 * A sub-job is a job like any other: queued, fair between accounts, sent again where its contract
 * allows it. But no customer waits for it and nobody pays it: it belongs to its parent, the job
 * that this gateway has sent to the very daemon that asks, and that is not answered yet. It has the
 * parent's account and what is left of its time; its tool stands in `calls` of the parent's
 * contract and in another group, so that no parent waits for a slot that parents have. When the
 * parent ends, or is sent to somebody else, its sub-jobs end, too.
 */

struct subjob {
    struct run run;
    struct dispatch_job job;
    struct dispatch_reply reply;
    struct uuid asked_as; /* the daemon's id for it */
    char *body;
};

/* A worker's JOB. It gets a REPLY; none when the parent is over, because nobody waits there. */
void subjob_on_message(struct dispatch *dispatch, struct worker *worker,
                       const struct message *message);
