/*
 * gateway/dispatch/dispatch.h - send a job to a daemon of its group and bring the reply back.
 *
 * One thread owns every ZeroMQ socket of the gateway. It is handed a job and always answers within
 * the job's budget; the call's own thread waits. docs/develop/protocol.md tells the messages.
 *
 * A daemon may ask for sub-jobs of a job that it has, which other groups run
 * (docs/develop/protocol.md).
 *
 * A job runs at most once, unless its contract says it may run again: then a job whose worker dies,
 * or does not answer in half its budget while another one is free, runs once more elsewhere. What a
 * worker refuses before it starts (NACK) counts as not sent.
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
    struct contract *const *contracts; /* of the tools that sub-jobs may name */
    size_t contract_count;
    size_t threads;                /* of the gateway: tickets are shares of them */
    struct memory_budget *answers; /* for the bodies of replies; outlives them */
    struct metrics *metrics;
};

/* Bind and start the thread; takes allow over. Errors: ERR_INVALID_VALUE. */
bool dispatch_start(const struct dispatch_options *options, struct allow *allow,
                    struct dispatch **dispatch, struct err *err) must_check;

/* End the thread; nobody may be waiting any more. Tells the daemons. */
void dispatch_stop(struct dispatch **dispatch);

/* At the start: may calls come? When there is a worker of each group. Who is missing is not waited
 * for longer than five seconds after the last that came, nor ten after the start: calls for a group
 * without workers are refused, those for the others go on. */
bool dispatch_is_staffed(const struct dispatch *dispatch);

/* Replace the allow list from any thread; takes it over. */
void dispatch_allow(struct dispatch *dispatch, struct allow *allow);

/* NULL: there is no such group. */
struct group *dispatch_group(struct dispatch *dispatch, const char *name);

/* The right to wait on a group, taken before a credit is held (gateway/dispatch/permits.h). Errors:
 * ERR_OVERLOADED. */
bool dispatch_acquire_permit(struct dispatch *dispatch, struct group *group,
                             struct err *err) must_check;
void dispatch_release_permit(struct group *group);

struct run;

/* A job to be run; it and its reply are borrowed until dispatch_end(). */
struct run *dispatch_prepare(struct dispatch *dispatch, const struct dispatch_job *job,
                             struct dispatch_reply *reply);

/* Start it, from any thread, without waiting. When it has ended, the dispatcher's thread calls
 * ended(context), which must be quick; the run is not touched after that. */
void dispatch_submit(struct run *run, void (*ended)(void *context), void *context);

/*
 * What became of a job that has ended; frees the run. True: a daemon answered, reply->header.errs
 * says whether with errors; the caller frees it. Errors, all of them ours: ERR_NO_WORKER,
 * ERR_OVERLOADED (no worker was free in time, or no room for the answer), ERR_WORKER_LOST,
 * ERR_DEADLINE_EXCEEDED, ERR_INTERNAL for a reply that breaks the protocol.
 */
bool dispatch_end(struct run **run, struct err *err) must_check;

/* Free a run that was never submitted, or none. */
void dispatch_discard(struct run **run);
