/* gateway/dispatch/dispatch.c - the dispatcher thread, its sockets and timers, and the functions
 * that call threads use. */
#include "gateway/dispatch/state.h"

#include <assert.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "base/mem.h"
#include "base/os/clock.h"
#include "base/os/wakeup.h"

enum {
    PING_BUSY_MS = 250, /* to a busy one: a send to a dead peer fails */
    SILENCE_MS = 4000,  /* after this a worker counts as dead */
    GROUP_UNSEEN_MS = 60000,
    TICK_MS = 20,            /* between two checks of deadlines */
    READ_MAX = 1000,         /* messages read before timers and the inbox are checked */
    STAFF_WAIT_MS = 10000,   /* after the start, for a worker of each group */
    NEWCOMER_WAIT_MS = 5000, /* after the newest worker, for another one */
    STALL_MS = 2000,         /* this thread was suspended: workers had no chance to respond */
};

/* ---- time ---- */

static void check_queued(struct dispatch *dispatch, struct run *run, int64_t now_ms)
{
    struct group *group = run->group;
    bool is_unseen = group->workers == 0 && now_ms - group->seen_ms > GROUP_UNSEEN_MS;
    if (!is_unseen && now_ms < run->queue_deadline_ms)
        return;
    if (group->workers == 0)
        run_fail_queued(dispatch, run, ERR_NO_WORKER);
    else
        run_fail_queued(dispatch, run,
                        now_ms >= run->job->deadline_ms ? ERR_DEADLINE_EXCEEDED : ERR_OVERLOADED);
}

static void send_cancel(struct dispatch *dispatch, struct run *run)
{
    wire_put_cancel(&dispatch->workers.header, &run->job->id);
    workers_send(&dispatch->workers, run->worker, MSG_CANCEL, (struct text){ 0 });
    run->worker->stuck++; /* until the worker reports fewer stuck jobs */
}

static void stop_cancelled(struct dispatch *dispatch, struct run *run)
{
    if (run->worker)
        send_cancel(dispatch, run);
    else
        fair_remove(&run->group->queue, &run->item);
    run_fail(dispatch, run, ERR_DEADLINE_EXCEEDED,
             "the client cancelled the call; nothing was charged");
}

static void check_sent(struct dispatch *dispatch, struct run *run, int64_t now_ms)
{
    struct worker *worker = run->worker;
    bool is_over = now_ms >= run->job->deadline_ms;
    if (now_ms < run->attempt_deadline_ms)
        return;
    if (!is_over && !workers_pick(&dispatch->workers, run->group, worker))
        return; /* no other worker is free: this one may still reply */
    send_cancel(dispatch, run);
    if (is_over) {
        run_fail_unfinished(dispatch, run);
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
            if (run->is_cancelled)
                stop_cancelled(dispatch, run);
            else if (run->worker)
                check_sent(dispatch, run, now_ms);
            else
                check_queued(dispatch, run, now_ms);
        }
    }
}

/* Mark silent workers as dead. Silence counts only after all arrived messages are read, and not if
 * this thread was suspended. */
static void check_workers(struct dispatch *dispatch, int64_t now_ms)
{
    bool has_stalled = now_ms - dispatch->ticked_ms > STALL_MS;
    dispatch->ticked_ms = now_ms;
    for (size_t i = dispatch->workers.count; i-- > 0;) {
        struct worker *worker = dispatch->workers.worker[i];
        bool is_busy = worker->running + worker->stuck > 0;
        int64_t pause_ms = is_busy ? PING_BUSY_MS : HEARTBEAT_MS;
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
        group_assign(dispatch, &dispatch->groups[i]);
        gauge_set(dispatch->groups[i].queue_gauge, (int64_t)dispatch->groups[i].queue.count);
    }
    counter_add(dispatch->dropped, dispatch->dropped_frames);
    dispatch->dropped_frames = 0;
}

/* ---- the thread ---- */

/* Replace the allow list. It applies to connected workers too. */
static void take_allow(struct dispatch *dispatch, struct allow *allow)
{
    sock_allow(dispatch->sock, allow);
    for (size_t i = dispatch->workers.count; i-- > 0;) {
        struct worker *worker = dispatch->workers.worker[i];
        const char *group = sock_group(dispatch->sock, worker->key);
        if (!group || strcmp(group, worker->group->name) != 0)
            worker_is_dead(dispatch, worker, "its key is no longer allowed");
    }
}

/* False: stop. */
static bool read_inbox(struct dispatch *dispatch)
{
    wakeup_clear(dispatch->wakeup);
    pthread_mutex_lock(&dispatch->mutex);
    struct run *inbox = dispatch->inbox;
    struct allow *allow = dispatch->new_allow;
    bool goes_on = !dispatch->is_stopping;
    dispatch->inbox = NULL;
    dispatch->new_allow = NULL;
    pthread_mutex_unlock(&dispatch->mutex);

    if (allow)
        take_allow(dispatch, allow);
    struct run *in_order = NULL;
    while (inbox) { /* the inbox is a stack: reverse it */
        struct run *next = inbox->next;
        inbox->next = in_order;
        in_order = inbox;
        inbox = next;
    }
    while (in_order) {
        struct run *next = in_order->next;
        run_accept(dispatch, in_order);
        in_order = next;
    }
    return goes_on;
}

/* False: more messages wait. The limit keeps a worker that never stops sending from delaying the
 * timers of all others. */
static bool read_socket(struct dispatch *dispatch)
{
    struct message message;
    sock_authenticate(dispatch->sock);
    for (int i = 0; i < READ_MAX; i++) {
        if (!sock_receive(dispatch->sock, &message, &dispatch->dropped_frames))
            return true;
        dispatch_on_message(dispatch, &message);
    }
    return false;
}

static void *dispatch_thread(void *argument)
{
    struct dispatch *dispatch = argument;
    struct pollfd fds[] = { { dispatch->wakeup, POLLIN, 0 },
                            { sock_fd(dispatch->sock), POLLIN, 0 },
                            { sock_auth_fd(dispatch->sock), POLLIN, 0 } };

    pthread_setname_np(pthread_self(), "dispatch");
    while (read_inbox(dispatch)) {
        bool is_quiet = read_socket(dispatch);
        if (clock_ms() - dispatch->ticked_ms >= TICK_MS) {
            tick(dispatch);
            is_quiet = read_socket(dispatch); /* sending may consume the socket's event */
        }
        dispatch_reap(dispatch);
        poll(fds, countof(fds), is_quiet ? TICK_MS : 0);
    }
    check_runs(dispatch, clock_ms()); /* also sub-jobs whose parents have just finished */
    workers_close(&dispatch->workers);
    return NULL;
}

static void make_groups(struct dispatch *dispatch)
{
    const struct dispatch_options *options = &dispatch->options;
    dispatch->groups = mem_array(options->group_count, sizeof(*dispatch->groups));
    for (size_t i = 0; i < options->group_count; i++) {
        struct group *group = &dispatch->groups[i];
        group->dispatch = dispatch;
        snprintf(group->name, sizeof(group->name), "%s", options->groups[i]);
        group->seen_ms = clock_ms(); /* daemons may connect soon */
        struct labels labels = { "group", group->name };
        group->worker_gauge =
            metrics_gauge(options->metrics, "tollgate_workers", "Ready workers of a group", labels);
        group->queue_gauge = metrics_gauge(options->metrics, "tollgate_job_queue_depth",
                                           "Jobs waiting for a worker", labels);
    }
}

static void make_counters(struct dispatch *dispatch)
{
    struct metrics *metrics = dispatch->options.metrics;
    dispatch->dropped = metrics_counter(metrics, "tollgate_bus_invalid_messages_total",
                                        "Messages that violate the protocol", NO_LABELS);
    dispatch->late = metrics_counter(
        metrics, "tollgate_job_unexpected_replies_total",
        "Replies without a waiting job: late, duplicate or of another worker", NO_LABELS);
    dispatch->retried =
        metrics_counter(metrics, "tollgate_job_retries_total", "Jobs run a second time", NO_LABELS);
    dispatch->lost =
        metrics_counter(metrics, "tollgate_workers_lost_total", "Workers found dead", NO_LABELS);
    dispatch->nacked = metrics_counter(metrics, "tollgate_job_nacks_total",
                                       "Jobs that a worker rejected (NACK)", NO_LABELS);
    dispatch->refused = metrics_counter(
        metrics, "tollgate_workers_rejected_total",
        "Workers rejected: the key is not allowed, or the group is full", NO_LABELS);
    dispatch->subjobs = metrics_counter(metrics, "tollgate_subjobs_total",
                                        "Sub-jobs that daemons requested", NO_LABELS);
    dispatch->subjobs_refused =
        metrics_counter(metrics, "tollgate_subjobs_rejected_total",
                        "Sub-jobs rejected: the parent's contract does not allow them", NO_LABELS);
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
    workers_open(&dispatch->workers, sock, options->group_count);
    dispatch->wakeup = wakeup_new();
    permits_init(&dispatch->permits, options->threads, options->group_count);
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
    wakeup_signal(dispatch->wakeup);
    pthread_join(dispatch->thread, NULL);
    assert(dispatch->runs.count == 0);
    sock_free(&dispatch->sock);
    allow_free(&dispatch->new_allow);
    wakeup_free(&dispatch->wakeup);
    pthread_mutex_destroy(&dispatch->mutex);
    permits_destroy(&dispatch->permits);
    mem_free(&dispatch->groups);
    mem_free(address);
}

bool dispatch_is_staffed(const struct dispatch *dispatch)
{
    int64_t now_ms = clock_ms();
    size_t staffed = 0;
    for (size_t i = 0; i < dispatch->options.group_count; i++)
        staffed += dispatch->groups[i].workers > 0;
    bool is_quiet = staffed > 0 && now_ms - dispatch->newcomer_ms >= NEWCOMER_WAIT_MS;
    return staffed == dispatch->options.group_count || is_quiet ||
           now_ms - dispatch->started_ms >= STAFF_WAIT_MS;
}

void dispatch_allow(struct dispatch *dispatch, struct allow *allow)
{
    pthread_mutex_lock(&dispatch->mutex);
    allow_free(&dispatch->new_allow);
    dispatch->new_allow = allow;
    pthread_mutex_unlock(&dispatch->mutex);
    wakeup_signal(dispatch->wakeup);
}

/* ---- for the threads of calls ---- */

bool dispatch_acquire_permit(struct dispatch *dispatch, struct group *group, struct err *err)
{
    if (permits_acquire(&dispatch->permits, &group->permits))
        return true;
    return err_set(err, ERR_OVERLOADED,
                   "too many calls of this tool group are waiting; nothing was charged, "
                   "please retry");
}

void dispatch_release_permit(struct group *group)
{
    permits_release(&group->dispatch->permits, &group->permits);
}

struct run *dispatch_prepare(struct dispatch *dispatch, const struct dispatch_job *job,
                             struct dispatch_reply *reply)
{
    struct run *run = mem_new(sizeof(*run));
    run->item.account = job->account;
    run->dispatch = dispatch;
    run->job = job;
    run->reply = reply;
    run->group = job->group;
    run->attempt = 1;
    return run;
}

void dispatch_submit(struct run *run, void (*ended)(void *context), void *context)
{
    struct dispatch *dispatch = run->dispatch;
    run->ended = ended;
    run->context = context;
    run->started_us = clock_us();
    run->queue_deadline_ms = run_queue_until(run->job);
    pthread_mutex_lock(&dispatch->mutex);
    bool rings = !dispatch->inbox; /* the thread takes the whole inbox at once */
    run->next = dispatch->inbox;
    dispatch->inbox = run;
    pthread_mutex_unlock(&dispatch->mutex);
    if (rings)
        wakeup_signal(dispatch->wakeup);
}

void dispatch_cancel(struct run *run)
{
    run->is_cancelled = true;
}

void dispatch_discard(struct run **run)
{
    mem_free(run);
}

bool dispatch_end(struct run **run, struct err *err)
{
    struct err why = (*run)->err;
    mem_free(run);
    if (why.kind != ERR_NONE)
        *err = why;
    return why.kind == ERR_NONE;
}
