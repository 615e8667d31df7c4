/* gateway/dispatch/messages.c - handles messages of workers (docs/develop/protocol.md). */
#include "gateway/dispatch/state.h"

#include <string.h>

#include "base/mem.h"
#include "base/num.h"
#include "base/os/clock.h"

enum { REFUSALS_MAX = 8 /* of one job */ };

static struct worker *add_worker(struct dispatch *dispatch, const struct message *message,
                                 const struct wire_ready *ready)
{
    struct group *group = dispatch_group(dispatch, ready->group);
    if (!group)
        return NULL;
    struct worker *worker = workers_add(&dispatch->workers, message, group,
                                        sock_group_keys(dispatch->sock, group->name));
    if (!worker)
        return NULL;
    dispatch->newcomer_ms = clock_ms();
    group->workers++;
    gauge_set(group->worker_gauge, (int64_t)group->workers);
    if (log_pace_allows(&dispatch->ready_lines))
        log_line(LOG_INFO, "worker ready", log_str("group", group->name),
                 log_str("build", ready->build), log_int("tools", (int64_t)ready->tool_count));
    return worker;
}

/* READY registers a worker; it gets jobs after its first CREDIT. Its key determines the groups that
 * it may join. */
static void on_ready(struct dispatch *dispatch, const struct message *message)
{
    scoped(mem_free) struct wire_ready *ready = mem_new(sizeof(*ready));
    bool is_allowed = wire_get_ready(message->header, ready) && message->group &&
                      strcmp(ready->group, message->group) == 0;
    struct worker *worker = workers_find(&dispatch->workers, message->peer);
    if (is_allowed && !worker)
        worker = add_worker(dispatch, message, ready);
    if (!is_allowed || !worker) {
        counter_add(dispatch->refused, 1);
        if (log_pace_allows(&dispatch->refused_lines))
            log_line(LOG_WARN, "worker refused", log_str("key_group", message->group),
                     log_str("claimed_group", ready->group),
                     log_str("error", is_allowed ? "no place for it" : "its key is not for that"));
        workers_goodbye(&dispatch->workers, message->peer, "refused");
        return;
    }
    worker->heard_ms = clock_ms();
    worker->group->seen_ms = worker->heard_ms;
    workers_welcome(&dispatch->workers, worker);
}

static bool on_credit(struct dispatch *dispatch, struct worker *worker,
                      const struct message *message)
{
    uint32_t slots;
    if (!wire_get_credit(message->header, &slots))
        return false;
    worker->credit = worker->slots = MIN(slots, 4096u);
    group_assign(dispatch, worker->group);
    return true;
}

static bool on_reply(struct dispatch *dispatch, struct worker *worker,
                     const struct message *message)
{
    struct wire_reply header;
    struct err err = { 0 };
    if (!wire_get_reply(message->header, &header))
        return false;
    struct run *run = runs_find(&dispatch->runs, &header.id);
    if (!run || run->worker != worker) { /* late, a duplicate, or of another worker */
        counter_add(dispatch->late, 1);
        wire_reply_free(&header);
        return true;
    }
    if (message->body.size > run->job->contract->max_reply_bytes) {
        wire_reply_free(&header);
        run_fail(dispatch, run, ERR_INTERNAL,
                 "the tool's result is larger than its contract allows");
    } else if (!memory_budget_reserve(dispatch->options.answers, message->body.size, 0,
                                      &run->reply->reservation, &err)) {
        wire_reply_free(&header);
        run_fail(dispatch, run, err.kind, err.message);
    } else {
        run->reply->header = header;
        run->reply->body = (struct buf)BUF(message->body.size);
        buf_add(&run->reply->body, message->body.bytes, message->body.size);
        run->reply->wait_us = clock_us() - run->started_us - header.queue_us - header.run_us;
        run_finish(dispatch, run);
    }
    group_assign(dispatch, worker->group);
    return true;
}

static bool on_nack(struct dispatch *dispatch, struct worker *worker, const struct message *message)
{
    struct uuid id;
    enum nack_reason reason;
    if (!wire_get_nack(message->header, &id, &reason))
        return false;
    struct run *run = runs_find(&dispatch->runs, &id);
    if (!run || run->worker != worker)
        return true;
    counter_add(dispatch->nacked, 1);
    run_requeue(run, run_queue_until(run->job));
    if (reason == NACK_FULL) {
        worker->slots = worker->running; /* until its next heartbeat */
    } else {
        worker->is_draining |= reason == NACK_DRAINING;
        run->avoid = worker;
    }
    if (++run->refusals == REFUSALS_MAX)
        run_fail_queued(dispatch, run, reason == NACK_FULL ? ERR_OVERLOADED : ERR_NO_WORKER);
    group_assign(dispatch, worker->group);
    return true;
}

static bool on_heartbeat(struct dispatch *dispatch, struct worker *worker,
                         const struct message *message)
{
    struct wire_heartbeat heartbeat;
    if (!wire_get_heartbeat(message->header, &heartbeat))
        return false;
    if (heartbeat.is_draining && !worker->is_draining) {
        worker->is_draining = true;
        workers_ping(&dispatch->workers, worker); /* after this ping no more jobs come */
    }
    worker->slots = worker->credit;
    worker->stuck = heartbeat.running - MIN(heartbeat.running, worker->running);
    group_assign(dispatch, worker->group);
    return true;
}

/* The worker stops, and sent all its replies first. Jobs that it still has may have been started.
 */
static bool on_goodbye(struct dispatch *dispatch, struct worker *worker,
                       const struct message *message)
{
    struct group *group = worker->group;
    (void)message;
    if (log_pace_allows(&dispatch->left_lines))
        log_line(LOG_INFO, "worker left", log_str("group", group->name));
    each_run_of(dispatch, worker, run_retry_or_fail);
    worker_remove(dispatch, worker);
    group_assign(dispatch, group);
    return true;
}

void dispatch_on_message(struct dispatch *dispatch, const struct message *message)
{
    /* False: the message violates the protocol. */
    static bool (*const handler[])(struct dispatch *, struct worker *, const struct message *) = {
        [MSG_CREDIT] = on_credit,       [MSG_REPLY] = on_reply,     [MSG_NACK] = on_nack,
        [MSG_HEARTBEAT] = on_heartbeat, [MSG_GOODBYE] = on_goodbye, [MSG_JOB] = subjob_on_message,
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
    bool is_known = message->type < countof(handler) && handler[message->type];
    if (!is_known || !handler[message->type](dispatch, worker, message))
        counter_add(dispatch->dropped, 1);
}
