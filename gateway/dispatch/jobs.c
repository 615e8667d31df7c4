/* gateway/dispatch/jobs.c - takes a job from its queue to a worker, and handles failures. */
#include "gateway/dispatch/state.h"

#include <stdio.h>
#include <string.h>

#include "base/num.h"
#include "base/os/clock.h"
#include "base/os/deadline.h"
#include "base/os/fault.h"

enum { QUEUE_WAIT_MS = 5000 /* the longest wait for a worker; at most half of the budget */ };

struct group *dispatch_group(struct dispatch *dispatch, const char *name)
{
    for (size_t i = 0; i < dispatch->options.group_count; i++)
        if (strcmp(dispatch->groups[i].name, name) == 0)
            return &dispatch->groups[i];
    return NULL;
}

void run_accept(struct dispatch *dispatch, struct run *run)
{
    runs_add(&dispatch->runs, run);
    fair_push(&run->group->queue, &run->item);
    group_assign(dispatch, run->group);
}

int64_t run_queue_until(const struct dispatch_job *job)
{
    int64_t wait_ms = MIN(job->contract->budget_ms / 2, (int64_t)QUEUE_WAIT_MS);
    return deadline_within(job->deadline_ms, wait_ms);
}

/* The job no longer needs its sub-jobs: the next timer tick drops them. */
static void orphan_subjobs(struct run *parent)
{
    struct runs *runs = &parent->dispatch->runs;
    for (size_t i = 0; i < RUN_BUCKETS && parent->subjobs_open > 0; i++) {
        for (struct run *run = runs->bucket[i]; run; run = run->next) {
            if (run->parent != parent)
                continue;
            run->parent = NULL;
            run->queue_deadline_ms = run->attempt_deadline_ms = 0;
            struct dispatch_job *job = &((struct subjob *)run)->job;
            job->deadline_ms = 0;
            job->request_id = job->traceparent = ""; /* they belonged to the parent */
            parent->subjobs_open--;
        }
    }
    parent->subjobs = 0; /* the parent's next worker requests them again */
}

/* Detach the run from its worker and drop its sub-jobs. */
static void leave_worker(struct run *run)
{
    run->worker->running--;
    run->worker = NULL;
    orphan_subjobs(run);
}

void run_finish(struct dispatch *dispatch, struct run *run)
{
    runs_remove(&dispatch->runs, run);
    if (run->worker)
        leave_worker(run);
    run->ended(run->context);
}

void run_fail(struct dispatch *dispatch, struct run *run, enum err_kind kind, const char *why)
{
    err_set(&run->err, kind, "%s", why);
    run_finish(dispatch, run);
}

void run_fail_unfinished(struct dispatch *dispatch, struct run *run)
{
    run_fail(dispatch, run, ERR_DEADLINE_EXCEEDED,
             "the tool did not finish in its time; nothing was charged");
}

void run_fail_queued(struct dispatch *dispatch, struct run *run, enum err_kind kind)
{
    fair_remove(&run->group->queue, &run->item);
    if (kind == ERR_NO_WORKER)
        run_fail(dispatch, run, kind,
                 "no worker for this tool is available; nothing was charged, please retry");
    else if (kind == ERR_OVERLOADED)
        run_fail(dispatch, run, kind,
                 "all workers for this tool are busy; nothing was charged, please retry");
    else
        run_fail_unfinished(dispatch, run);
}

/* ---- assigning ---- */

static bool send_job(struct dispatch *dispatch, struct run *run, struct worker *worker)
{
    const struct dispatch_job *job = run->job;
    int64_t now_ms = clock_ms();
    bool is_last = !job->contract->retryable || run->attempt > 1;
    run->attempt_deadline_ms =
        is_last ? job->deadline_ms : MIN(now_ms + job->contract->budget_ms / 2, job->deadline_ms);

    struct wire_job header = { .id = job->id,
                               .account = job->account,
                               .budget_ms = (uint32_t)MAX(job->deadline_ms - now_ms, (int64_t)0),
                               .max_reply_bytes = (uint32_t)job->contract->max_reply_bytes,
                               .attempt = run->attempt };
    snprintf(header.tool, sizeof(header.tool), "%s", job->contract->tool);
    snprintf(header.request_id, sizeof(header.request_id), "%s", job->request_id);
    snprintf(header.traceparent, sizeof(header.traceparent), "%s", job->traceparent);
    wire_put_job(&dispatch->workers.header, &header);
    struct text body = { job->body.bytes ? job->body.bytes : "", job->body.size };
    return workers_send(&dispatch->workers, worker, MSG_JOB, body);
}

void group_assign(struct dispatch *dispatch, struct group *group)
{
    struct fair_item *aside = NULL;
    bool goes_on = true;
    while (goes_on && group->queue.count > 0) {
        struct run *run = (struct run *)fair_pop(&group->queue);
        if (clock_ms() >= run->job->deadline_ms) {
            run_fail_unfinished(dispatch, run);
            continue;
        }
        struct worker *worker = workers_pick(&dispatch->workers, group, run->avoid);
        if (worker && send_job(dispatch, run, worker)) {
            run->worker = worker;
            worker->running++;
            FAULT_POINT("after-job-sent");
            continue;
        }
        goes_on = !worker && run->avoid; /* a failed send is retried at the next tick */
        run->item.next = aside;
        aside = &run->item;
    }
    while (aside) {
        struct fair_item *next = aside->next;
        fair_push_front(&group->queue, aside);
        aside = next;
    }
}

void run_requeue(struct run *run, int64_t until_ms)
{
    leave_worker(run);
    run->queue_deadline_ms = until_ms;
    fair_push_front(&run->group->queue, &run->item);
}

void run_again(struct dispatch *dispatch, struct run *run)
{
    run->attempt = 2;
    run->avoid = run->worker;
    counter_add(dispatch->retried, 1);
    run_requeue(run, run->job->deadline_ms);
}

void run_retry_or_fail(struct dispatch *dispatch, struct run *run)
{
    if (run->job->contract->retryable && run->attempt == 1) {
        run_again(dispatch, run);
        return;
    }
    run_fail(dispatch, run, ERR_WORKER_LOST,
             "the worker that ran the tool was lost; nothing was charged, please retry");
}

void each_run_of(struct dispatch *dispatch, const struct worker *worker,
                 void (*act)(struct dispatch *, struct run *))
{
    for (size_t i = 0; i < RUN_BUCKETS && dispatch->runs.count > 0; i++) {
        struct run *next;
        for (struct run *run = dispatch->runs.bucket[i]; run; run = next) {
            next = run->next;
            if (run->worker == worker)
                act(dispatch, run);
        }
    }
}

static void forget_avoided(struct dispatch *dispatch, const struct worker *worker)
{
    for (size_t i = 0; i < RUN_BUCKETS; i++)
        for (struct run *run = dispatch->runs.bucket[i]; run; run = run->next)
            if (run->avoid == worker)
                run->avoid = NULL;
}

void worker_remove(struct dispatch *dispatch, struct worker *worker)
{
    struct group *group = worker->group;
    group->workers--;
    gauge_set(group->worker_gauge, (int64_t)group->workers);
    forget_avoided(dispatch, worker);
    workers_remove(&dispatch->workers, worker);
}

void worker_is_dead(struct dispatch *dispatch, struct worker *worker, const char *why)
{
    if (log_pace_allows(&dispatch->lost_lines))
        log_line(LOG_WARN, "worker lost", log_str("group", worker->group->name),
                 log_str("error", why), log_int("jobs", (int64_t)worker->running));
    counter_add(dispatch->lost, 1);
    struct group *group = worker->group;
    each_run_of(dispatch, worker, run_retry_or_fail);
    worker_remove(dispatch, worker);
    group_assign(dispatch, group);
}

void dispatch_reap(struct dispatch *dispatch)
{
    for (size_t i = dispatch->workers.count; i-- > 0;)
        if (dispatch->workers.worker[i]->is_gone)
            worker_is_dead(dispatch, dispatch->workers.worker[i], "its connection is gone");
}
