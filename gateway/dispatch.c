/* gateway/dispatch.c - the dispatcher thread: workers, credits, queues, deadlines. */
#include "gateway/dispatch.h"

#include <assert.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/random.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/num.h"
#include "gateway/fair-queue.h"
#include "gateway/fault.h"
#include "gateway/runs.h"
#include "gateway/workers.h"

enum {
    PING_BUSY_MS = 250, /* to a busy one: a send to a dead peer fails and tells */
    SILENCE_MS = 4000,  /* then a worker is dead */
    GROUP_UNSEEN_MS = 60000,
    QUEUE_WAIT_MS = 5000, /* for a worker, at most; or half the budget */
    TICK_MS = 20,         /* between two looks at the deadlines */
    REFUSALS_MAX = 8,     /* of one job, by workers that do not know its tool */
    READ_MAX = 1000,      /* messages between two looks at everything else */
    STAFF_WAIT_MS = 5000, /* after the start, for a worker of each group */
    STALL_MS = 2000,      /* this thread stood still: nobody can have answered it */
};

struct group {
    char name[WIRE_NAME_BYTES];
    atomic_size_t tickets; /* taken */
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
    pthread_t thread;
    pthread_mutex_t mutex; /* guards inbox, new_allow, is_stopping */
    struct run *inbox;
    struct allow *new_allow;
    bool is_stopping;
    int event;
    int64_t started_ms;
    struct runs runs; /* in hand */
    int64_t ticked_ms;
    uint64_t dropped_frames;
    struct counter *dropped;
    struct counter *late;
    struct counter *retried;
    struct counter *lost;
    struct counter *nacked;
};

static struct group *find_group(struct dispatch *dispatch, const char *name)
{
    for (size_t i = 0; i < dispatch->options.group_count; i++)
        if (strcmp(dispatch->groups[i].name, name) == 0)
            return &dispatch->groups[i];
    return NULL;
}

/* How long a job may wait for a worker from now on. */
static int64_t queue_until(const struct dispatch_job *job)
{
    int64_t wait_ms = MIN(job->contract->budget_ms / 2, (int64_t)QUEUE_WAIT_MS);
    return MIN(clock_ms() + wait_ms, job->deadline_ms);
}

static void ring_bell(const struct dispatch *dispatch)
{
    uint64_t one = 1;
    ssize_t written = write(dispatch->event, &one, sizeof(one));
    assert(written == sizeof(one));
}

/* Wake the waiter; the run is gone after this. */
static void finish(struct dispatch *dispatch, struct run *run)
{
    runs_remove(&dispatch->runs, run);
    if (run->worker)
        run->worker->running--;
    sem_post(&run->done);
}

static void fail(struct dispatch *dispatch, struct run *run, enum err_kind kind, const char *why)
{
    err_set(&run->err, kind, "%s", why);
    finish(dispatch, run);
}

static void fail_unfinished(struct dispatch *dispatch, struct run *run)
{
    fail(dispatch, run, ERR_DEADLINE_EXCEEDED,
         "the tool did not finish in its time; nothing was charged");
}

/* Give up a job that waits for a worker. */
static void fail_queued(struct dispatch *dispatch, struct run *run, enum err_kind kind)
{
    fair_remove(&run->group->queue, &run->item);
    if (kind == ERR_NO_WORKER)
        fail(dispatch, run, kind,
             "no worker serves this tool right now; nothing was charged, please try again");
    else if (kind == ERR_OVERLOADED)
        fail(dispatch, run, kind,
             "all workers of this tool are busy; nothing was charged, please try again");
    else
        fail_unfinished(dispatch, run);
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
    return workers_tell(&dispatch->workers, worker, MSG_JOB, body);
}

/* Send what waits while there are free slots. A job that only the worker it avoids could take does
 * not hold up those behind it. */
static void assign(struct dispatch *dispatch, struct group *group)
{
    struct fair_item *aside = NULL;
    bool goes_on = true;
    while (goes_on && group->queue.count > 0) {
        struct run *run = (struct run *)fair_pop(&group->queue);
        if (clock_ms() >= run->job->deadline_ms) {
            fail_unfinished(dispatch, run);
            continue;
        }
        struct worker *worker = workers_pick(&dispatch->workers, group, run->avoid);
        if (worker && send_job(dispatch, run, worker)) {
            run->worker = worker;
            worker->running++;
            FAULT_POINT("after-job-sent");
            continue;
        }
        goes_on = !worker && run->avoid; /* a failed send is tried again at the next tick */
        run->item.next = aside;
        aside = &run->item;
    }
    while (aside) {
        struct fair_item *next = aside->next;
        fair_push_front(&group->queue, aside);
        aside = next;
    }
}

/* Back to the head of the queue, for at most until_ms. */
static void requeue(struct run *run, int64_t until_ms)
{
    run->worker->running--;
    run->worker = NULL;
    run->queue_deadline_ms = until_ms;
    fair_push_front(&run->group->queue, &run->item);
}

/* The job's one second chance: on another worker, while its budget lasts. */
static void run_again(struct dispatch *dispatch, struct run *run)
{
    run->attempt = 2;
    run->avoid = run->worker;
    counter_add(dispatch->retried, 1);
    requeue(run, run->job->deadline_ms);
}

static void retry_or_fail(struct dispatch *dispatch, struct run *run)
{
    if (run->job->contract->retryable && run->attempt == 1) {
        run_again(dispatch, run);
        return;
    }
    fail(dispatch, run, ERR_WORKER_LOST,
         "the worker that ran the tool was lost; nothing was charged, please try again");
}

static void each_run_of(struct dispatch *dispatch, const struct worker *worker,
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

static void remove_worker(struct dispatch *dispatch, struct worker *worker)
{
    struct group *group = worker->group;
    group->workers--;
    gauge_set(group->worker_gauge, (int64_t)group->workers);
    forget_avoided(dispatch, worker);
    workers_remove(&dispatch->workers, worker);
}

static void worker_is_dead(struct dispatch *dispatch, struct worker *worker, const char *why)
{
    log_line(LOG_WARN, "worker lost", log_str("group", worker->group->name), log_str("why", why),
             log_int("jobs", (int64_t)worker->running));
    counter_add(dispatch->lost, 1);
    struct group *group = worker->group;
    each_run_of(dispatch, worker, retry_or_fail);
    remove_worker(dispatch, worker);
    assign(dispatch, group);
}

static void reap(struct dispatch *dispatch)
{
    for (size_t i = dispatch->workers.count; i-- > 0;)
        if (dispatch->workers.worker[i]->is_gone)
            worker_is_dead(dispatch, dispatch->workers.worker[i], "its connection is gone");
}

/* ---- messages from workers ---- */

static struct worker *add_worker(struct dispatch *dispatch, const struct message *message,
                                 const struct wire_ready *ready)
{
    struct group *group = find_group(dispatch, ready->group);
    struct worker *worker = group ? workers_add(&dispatch->workers, message->peer, group) : NULL;
    if (!worker)
        return NULL;
    group->workers++;
    gauge_set(group->worker_gauge, (int64_t)group->workers);
    log_line(LOG_INFO, "worker ready", log_str("group", group->name),
             log_str("build", ready->build), log_int("tools", (int64_t)ready->tool_count));
    return worker;
}

/* A worker is known from its READY on; until its CREDIT it gets nothing. Its key says which group
 * it may be. */
static void on_ready(struct dispatch *dispatch, const struct message *message)
{
    scoped(mem_free) struct wire_ready *ready = mem_new(sizeof(*ready));
    bool is_allowed = wire_get_ready(message->header, ready) && message->group &&
                      strcmp(ready->group, message->group) == 0;
    struct worker *worker = workers_find(&dispatch->workers, message->peer);
    if (is_allowed && !worker)
        worker = add_worker(dispatch, message, ready);
    if (!is_allowed || !worker) {
        log_line(LOG_WARN, "worker refused", log_str("key_group", message->group),
                 log_str("says", ready->group));
        workers_goodbye(&dispatch->workers, message->peer, "refused");
        return;
    }
    worker->heard_ms = clock_ms();
    worker->group->seen_ms = worker->heard_ms;
    workers_welcome(&dispatch->workers, worker);
}

static void on_credit(struct dispatch *dispatch, struct worker *worker,
                      const struct message *message)
{
    uint32_t slots;
    if (wire_get_credit(message->header, &slots)) {
        worker->credit = worker->slots = MIN(slots, 4096u);
        assign(dispatch, worker->group);
    }
}

static void on_reply(struct dispatch *dispatch, struct worker *worker,
                     const struct message *message)
{
    struct wire_reply header;
    if (!wire_get_reply(message->header, &header)) {
        counter_add(dispatch->dropped, 1);
        return;
    }
    struct run *run = runs_find(&dispatch->runs, &header.id);
    if (!run || run->worker != worker) { /* late, a duplicate, or somebody else's */
        counter_add(dispatch->late, 1);
        wire_reply_free(&header);
        return;
    }
    if (message->body.size > run->job->contract->max_reply_bytes) {
        wire_reply_free(&header);
        fail(dispatch, run, ERR_INTERNAL, "the tool's answer is larger than its contract allows");
    } else {
        run->reply->header = header;
        run->reply->body = mem_dup(message->body.bytes, message->body.size);
        run->reply->body_bytes = message->body.size;
        run->reply->wait_us = clock_us() - run->started_us - header.queue_us - header.run_us;
        finish(dispatch, run);
    }
    assign(dispatch, worker->group);
}

static void on_nack(struct dispatch *dispatch, struct worker *worker, const struct message *message)
{
    struct uuid id;
    enum nack_reason reason;
    if (!wire_get_nack(message->header, &id, &reason))
        return;
    struct run *run = runs_find(&dispatch->runs, &id);
    if (!run || run->worker != worker)
        return;
    counter_add(dispatch->nacked, 1);
    requeue(run, queue_until(run->job));
    if (reason == NACK_DRAINING) {
        worker->is_draining = true;
    } else if (reason == NACK_FULL) {
        worker->slots = worker->running; /* until its next heartbeat */
    } else {
        run->avoid = worker;
        if (++run->refusals == REFUSALS_MAX)
            fail_queued(dispatch, run, ERR_NO_WORKER);
    }
    assign(dispatch, worker->group);
}

static void on_heartbeat(struct dispatch *dispatch, struct worker *worker,
                         const struct message *message)
{
    struct wire_heartbeat heartbeat;
    if (!wire_get_heartbeat(message->header, &heartbeat))
        return;
    if (heartbeat.is_draining && !worker->is_draining) {
        worker->is_draining = true;
        workers_ping(&dispatch->workers, worker); /* tells it that nothing more comes */
    }
    worker->slots = worker->credit;
    assign(dispatch, worker->group);
}

static void requeue_unstarted(struct dispatch *dispatch, struct run *run)
{
    (void)dispatch;
    requeue(run, queue_until(run->job));
}

/* It leaves and has told us so after its last reply: what it still has was never started. */
static void on_goodbye(struct dispatch *dispatch, struct worker *worker,
                       const struct message *message)
{
    struct group *group = worker->group;
    (void)message;
    log_line(LOG_INFO, "worker left", log_str("group", group->name));
    each_run_of(dispatch, worker, requeue_unstarted);
    remove_worker(dispatch, worker);
    assign(dispatch, group);
}

static void on_message(struct dispatch *dispatch, const struct message *message)
{
    static void (*const handler[])(struct dispatch *, struct worker *, const struct message *) = {
        [MSG_CREDIT] = on_credit,       [MSG_REPLY] = on_reply,     [MSG_NACK] = on_nack,
        [MSG_HEARTBEAT] = on_heartbeat, [MSG_GOODBYE] = on_goodbye,
    };
    if (message->type == MSG_READY) {
        on_ready(dispatch, message);
        return;
    }
    struct worker *worker = workers_find(&dispatch->workers, message->peer);
    if (!worker || !message->group || strcmp(worker->group->name, message->group) != 0) {
        if (message->type != MSG_GOODBYE)
            workers_goodbye(&dispatch->workers, message->peer, "unknown");
        return;
    }
    worker->heard_ms = clock_ms();
    worker->group->seen_ms = worker->heard_ms;
    if (message->type < countof(handler) && handler[message->type])
        handler[message->type](dispatch, worker, message);
    else
        counter_add(dispatch->dropped, 1);
}

/* ---- time ---- */

static void check_queued(struct dispatch *dispatch, struct run *run, int64_t now_ms)
{
    struct group *group = run->group;
    bool is_unseen = group->workers == 0 && now_ms - group->seen_ms > GROUP_UNSEEN_MS;
    if (!is_unseen && now_ms < run->queue_deadline_ms)
        return;
    if (group->workers == 0)
        fail_queued(dispatch, run, ERR_NO_WORKER);
    else
        fail_queued(dispatch, run,
                    now_ms >= run->job->deadline_ms ? ERR_DEADLINE_EXCEEDED : ERR_OVERLOADED);
}

static void check_sent(struct dispatch *dispatch, struct run *run, int64_t now_ms)
{
    struct worker *worker = run->worker;
    bool is_over = now_ms >= run->job->deadline_ms;
    if (now_ms < run->attempt_deadline_ms)
        return;
    if (!is_over && !workers_pick(&dispatch->workers, run->group, worker))
        return; /* nobody else is free: it may still answer */
    wire_put_cancel(&dispatch->workers.header, &run->job->id);
    workers_tell(&dispatch->workers, worker, MSG_CANCEL, (struct text){ 0 });
    if (is_over) {
        fail_unfinished(dispatch, run);
        return;
    }
    run_again(dispatch, run);
}

static void check_runs(struct dispatch *dispatch, int64_t now_ms)
{
    for (size_t i = 0; i < RUN_BUCKETS && dispatch->runs.count > 0; i++) {
        struct run *next;
        for (struct run *run = dispatch->runs.bucket[i]; run; run = next) {
            next = run->next;
            if (run->worker)
                check_sent(dispatch, run, now_ms);
            else
                check_queued(dispatch, run, now_ms);
        }
    }
}

/* Silence counts only after what has arrived was read, and not while we were silent ourselves. */
static void check_workers(struct dispatch *dispatch, int64_t now_ms)
{
    bool has_stalled = now_ms - dispatch->ticked_ms > STALL_MS;
    dispatch->ticked_ms = now_ms;
    for (size_t i = dispatch->workers.count; i-- > 0;) {
        struct worker *worker = dispatch->workers.worker[i];
        int64_t pause_ms = worker->running > 0 ? PING_BUSY_MS : HEARTBEAT_MS;
        if (has_stalled)
            worker->heard_ms = now_ms;
        if (now_ms - worker->heard_ms > SILENCE_MS)
            worker_is_dead(dispatch, worker, "it is silent");
        else if (now_ms - worker->pinged_ms >= pause_ms)
            workers_ping(&dispatch->workers, worker);
    }
}

static void tick(struct dispatch *dispatch)
{
    int64_t now_ms = clock_ms();
    check_workers(dispatch, now_ms);
    check_runs(dispatch, now_ms);
    for (size_t i = 0; i < dispatch->options.group_count; i++) {
        assign(dispatch, &dispatch->groups[i]);
        gauge_set(dispatch->groups[i].queue_gauge, (int64_t)dispatch->groups[i].queue.count);
    }
    counter_add(dispatch->dropped, dispatch->dropped_frames);
    dispatch->dropped_frames = 0;
}

/* ---- the thread ---- */

static void accept_run(struct dispatch *dispatch, struct run *run)
{
    runs_add(&dispatch->runs, run);
    fair_push(&run->group->queue, &run->item);
    assign(dispatch, run->group);
}

/* Returns whether to go on. */
static bool read_inbox(struct dispatch *dispatch)
{
    uint64_t count;
    ssize_t got = read(dispatch->event, &count, sizeof(count));
    (void)got; /* nothing there is fine */
    pthread_mutex_lock(&dispatch->mutex);
    struct run *inbox = dispatch->inbox;
    struct allow *allow = dispatch->new_allow;
    bool goes_on = !dispatch->is_stopping;
    dispatch->inbox = NULL;
    dispatch->new_allow = NULL;
    pthread_mutex_unlock(&dispatch->mutex);

    if (allow)
        sock_allow(dispatch->sock, allow);
    struct run *in_order = NULL;
    while (inbox) { /* it was built by pushing in front */
        struct run *next = inbox->next;
        inbox->next = in_order;
        in_order = inbox;
        inbox = next;
    }
    while (in_order) {
        struct run *next = in_order->next;
        accept_run(dispatch, in_order);
        in_order = next;
    }
    return goes_on;
}

/* Returns whether all that had arrived was read: one that never stops talking may not stop the
 * clock of the others. */
static bool read_socket(struct dispatch *dispatch)
{
    struct message message;
    sock_authenticate(dispatch->sock);
    for (int i = 0; i < READ_MAX; i++) {
        if (!sock_receive(dispatch->sock, &message, &dispatch->dropped_frames))
            return true;
        on_message(dispatch, &message);
    }
    return false;
}

static void *dispatch_thread(void *argument)
{
    struct dispatch *dispatch = argument;
    struct pollfd fds[] = { { dispatch->event, POLLIN, 0 },
                            { sock_fd(dispatch->sock), POLLIN, 0 },
                            { sock_auth_fd(dispatch->sock), POLLIN, 0 } };

    pthread_setname_np(pthread_self(), "dispatch");
    while (read_inbox(dispatch)) {
        bool is_quiet = read_socket(dispatch);
        if (clock_ms() - dispatch->ticked_ms >= TICK_MS) {
            tick(dispatch);
            is_quiet = read_socket(dispatch); /* sending may have swallowed the event */
        }
        reap(dispatch);
        poll(fds, countof(fds), is_quiet ? TICK_MS : 0);
    }
    workers_close(&dispatch->workers);
    return NULL;
}

static void make_groups(struct dispatch *dispatch)
{
    const struct dispatch_options *options = &dispatch->options;
    dispatch->groups = mem_array(options->group_count, sizeof(*dispatch->groups));
    for (size_t i = 0; i < options->group_count; i++) {
        struct group *group = &dispatch->groups[i];
        snprintf(group->name, sizeof(group->name), "%s", options->groups[i]);
        group->seen_ms = clock_ms(); /* daemons may be about to come */
        struct labels labels = { "group", group->name };
        group->worker_gauge = metrics_gauge(options->metrics, "worker_up",
                                            "Workers of a group that are ready", labels);
        group->queue_gauge =
            metrics_gauge(options->metrics, "job_queue_depth", "Jobs waiting for a worker", labels);
    }
}

static void make_counters(struct dispatch *dispatch)
{
    struct metrics *metrics = dispatch->options.metrics;
    dispatch->dropped = metrics_counter(metrics, "bus_dropped_total",
                                        "Messages that were not of the protocol", NO_LABELS);
    dispatch->late =
        metrics_counter(metrics, "job_late_replies_total",
                        "Replies nobody waited for: late, duplicate or foreign", NO_LABELS);
    dispatch->retried =
        metrics_counter(metrics, "job_retries_total", "Jobs run a second time", NO_LABELS);
    dispatch->lost = metrics_counter(metrics, "worker_lost_total", "Workers found dead", NO_LABELS);
    dispatch->nacked =
        metrics_counter(metrics, "job_nacks_total", "Jobs a worker did not take", NO_LABELS);
}

bool dispatch_start(const struct dispatch_options *options, struct allow *allow,
                    struct dispatch **made, struct err *err)
{
    struct sock *sock;
    if (!sock_bind(options->bus, options->endpoint, allow, &sock, err))
        return false;
    struct dispatch *dispatch = mem_new(sizeof(*dispatch));
    dispatch->options = *options;
    dispatch->sock = sock;
    workers_open(&dispatch->workers, sock);
    dispatch->event = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    make_groups(dispatch);
    make_counters(dispatch);
    dispatch->started_ms = clock_ms();
    pthread_mutex_init(&dispatch->mutex, NULL);
    pthread_create(&dispatch->thread, NULL, dispatch_thread, dispatch);
    *made = dispatch;
    return true;
}

void dispatch_stop(struct dispatch **address)
{
    struct dispatch *dispatch = *address;
    if (!dispatch)
        return;
    pthread_mutex_lock(&dispatch->mutex);
    dispatch->is_stopping = true;
    pthread_mutex_unlock(&dispatch->mutex);
    ring_bell(dispatch);
    pthread_join(dispatch->thread, NULL);
    assert(dispatch->runs.count == 0);
    sock_free(&dispatch->sock);
    allow_free(&dispatch->new_allow);
    close(dispatch->event);
    pthread_mutex_destroy(&dispatch->mutex);
    mem_free(&dispatch->groups);
    mem_free(address);
}

bool dispatch_is_staffed(const struct dispatch *dispatch)
{
    for (size_t i = 0; i < dispatch->options.group_count; i++)
        if (dispatch->groups[i].workers == 0)
            return clock_ms() - dispatch->started_ms > STAFF_WAIT_MS;
    return true;
}

void dispatch_allow(struct dispatch *dispatch, struct allow *allow)
{
    pthread_mutex_lock(&dispatch->mutex);
    allow_free(&dispatch->new_allow);
    dispatch->new_allow = allow;
    pthread_mutex_unlock(&dispatch->mutex);
    ring_bell(dispatch);
}

/* ---- for HTTP threads ---- */

bool dispatch_ticket(struct dispatch *dispatch, const char *name, struct err *err)
{
    struct group *group = find_group(dispatch, name);
    if (atomic_fetch_add(&group->tickets, 1) < dispatch->options.tickets)
        return true;
    atomic_fetch_sub(&group->tickets, 1);
    return err_set(err, ERR_OVERLOADED,
                   "too many calls of this tool group wait already; nothing was charged, "
                   "please try again");
}

void dispatch_ticket_return(struct dispatch *dispatch, const char *name)
{
    atomic_fetch_sub(&find_group(dispatch, name)->tickets, 1);
}

void dispatch_reply_free(struct dispatch_reply *reply)
{
    wire_reply_free(&reply->header);
    mem_free(&reply->body);
}

bool dispatch_run(struct dispatch *dispatch, const struct dispatch_job *job,
                  struct dispatch_reply *reply, struct err *err)
{
    struct run run = { .item.account = job->account,
                       .job = job,
                       .reply = reply,
                       .group = find_group(dispatch, job->contract->group),
                       .attempt = 1,
                       .started_us = clock_us(),
                       .queue_deadline_ms = queue_until(job) };
    sem_init(&run.done, 0, 0);
    pthread_mutex_lock(&dispatch->mutex);
    bool rings = !dispatch->inbox; /* the thread takes all of it at once */
    run.next = dispatch->inbox;
    dispatch->inbox = &run;
    pthread_mutex_unlock(&dispatch->mutex);
    if (rings)
        ring_bell(dispatch);
    while (sem_wait(&run.done) != 0)
        ; /* EINTR: the dispatcher always answers */
    sem_destroy(&run.done);
    if (run.err.kind == ERR_NONE)
        return true;
    *err = run.err;
    return false;
}
