/*
 * gateway/dispatch/dispatch.h - sends a job to a daemon of its group and returns the reply.
 *
 * One thread owns all ZeroMQ sockets of the gateway. It completes each job within the job's budget,
 * while the call's own thread waits. docs/develop/protocol.md has the messages.
 *
 * While a daemon runs a job, it may request sub-jobs, which other groups run
 * (docs/develop/protocol.md).
 *
 * A job runs at most once, unless its contract allows a retry. Then it runs once more on another
 * worker, if its worker dies, or does not reply in half of the budget while another worker is free.
 * A job that a worker rejects before it starts (NACK) counts as not sent.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "admin/metrics.h"
#include "base/buf.h"
#include "base/codec/uuid.h"
#include "base/err.h"
#include "bus/sock.h"
#include "gateway/dispatch/job.h"

struct dispatch;

struct dispatch_options {
    struct bus *bus;
    const char *endpoint; /* "tcp://127.0.0.1:5570" */
    const char *const *groups;
    size_t group_count;
    struct contract *const *contracts; /* of all tools that sub-jobs may request */
    size_t contract_count;
    size_t threads;                /* of the gateway: permits are shares of them */
    struct memory_budget *answers; /* for the bodies of replies; must outlive them */
    struct metrics *metrics;
    struct traces *traces; /* gets the spans of sub-jobs; NULL: none */
};

/* Bind and start the thread; takes over allow. Errors: ERR_INVALID_VALUE. */
bool dispatch_start(const struct dispatch_options *options, struct allow *allow,
                    struct dispatch **dispatch, struct err *err) must_check;

/* Send the daemons GOODBYE and stop the thread. No thread may wait for a job any more. */
void dispatch_stop(struct dispatch **dispatch);

/* True once each group has a worker; at the latest 5 s after the newest worker and 10 s after the
 * start. Calls for a group without workers are rejected; other groups are not affected. */
bool dispatch_is_staffed(const struct dispatch *dispatch);

/* Replace the allow list; takes it over. For any thread. */
void dispatch_allow(struct dispatch *dispatch, struct allow *allow);

/* NULL: unknown group. */
struct group *dispatch_group(struct dispatch *dispatch, const char *name);

/* Acquire the right to wait on a group, before any credits are held (gateway/dispatch/permits.h).
 * Errors: ERR_OVERLOADED. */
bool dispatch_acquire_permit(struct dispatch *dispatch, struct group *group,
                             struct err *err) must_check;
void dispatch_release_permit(struct group *group);

struct run;

/* A job to run; it and its reply are borrowed until dispatch_end(). */
struct run *dispatch_prepare(struct dispatch *dispatch, const struct dispatch_job *job,
                             struct dispatch_reply *reply);

/* Start the job without waiting; for any thread. When it is done, the dispatcher thread calls
 * ended(context), which must be quick, and does not touch the run again. */
void dispatch_submit(struct run *run, void (*ended)(void *context), void *context);

/* Stop a job that was submitted and is not known to be done; its worker gets CANCEL. It is done
 * then, with ERR_DEADLINE_EXCEEDED, unless it already is. */
void dispatch_cancel(struct run *run);

/*
 * The outcome of a job that is done; frees the run. True: a daemon replied; reply->header.errs has
 * the tool's errors, if any; the caller frees the reply. Errors of the gateway: ERR_NO_WORKER,
 * ERR_OVERLOADED (no worker was free in time, or no memory for the reply), ERR_WORKER_LOST,
 * ERR_DEADLINE_EXCEEDED, ERR_INTERNAL (the reply violates the protocol).
 */
bool dispatch_end(struct run **run, struct err *err) must_check;

/* Free a run that was not submitted; NULL is allowed. */
void dispatch_discard(struct run **run);
