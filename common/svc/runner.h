/*
 * common/svc/runner.h - the job threads of a worker, behind one bounded queue.
 *
 * The I/O thread submits jobs and collects finished ones; a wakeup signals them. A tool runs on a
 * job thread with a stack of 8 MiB and never uses a socket of the bus.
 */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "admin/metrics.h"
#include "bus/wire.h"
#include "svc/job.h"

/* A tool and its contract, as the worker serves them. */
struct service {
    const struct tool *tool;
    const struct contract *contract;
    struct data *data;       /* shared by the tools of one kind; NULL: none */
    struct egress *egress;   /* shared by all; NULL: the group has no outbound access */
    struct subjobs *subjobs; /* shared by all */
    struct histogram *run_seconds;
    struct counter *done;
    struct counter *failed;
};

/* A job, from arrival to reply. */
struct task {
    struct task *next;
    uint64_t link; /* the gateway link that sent it */
    const struct service *service;
    struct wire_job job;
    char *body;
    size_t body_bytes;
    int64_t received_us;
    int64_t deadline_ms;
    bool is_cancelled;       /* before it ran: there is no reply */
    atomic_bool is_unwanted; /* the tool may stop */
    struct wire_reply reply;
    struct buf result; /* the reply's body */
};

void task_free(struct task **task);

struct runner;

/*
 * Start job threads.
 *
 * - At most `slots` jobs run at once, on threads with this niceness (nice(2)).
 * - At most `computing_max` of them are from tools that only compute (not open_world): they gain
 *   nothing from sharing a core, and many on one core would all be late.
 * - At most `queue_max` more jobs wait, and run oldest first.
 * - There are as many threads as the maximum of concurrent jobs so far, and at least one: even an
 *   unused thread takes memory for its stack.
 * - A job that may run does not wait for another one, unless the system gives no more threads,
 *   which is logged.
 */
struct runner *runner_start(size_t slots, size_t computing_max, size_t queue_max, int niceness);

/* Wait for running jobs (the queue must be empty), and stop the threads. */
void runner_stop(struct runner **runner);

/* Hand a job over. If the queue is full, returns false, and the caller keeps the task. */
bool runner_submit(struct runner *runner, struct task *task);

/* Cancel this job of that gateway: drop it if it has not started; else mark it for
 * job_is_cancelled(). */
void runner_cancel(struct runner *runner, uint64_t link, const struct uuid *job);

/* The oldest task that is done or was dropped (is_cancelled); NULL: none. The caller frees it. */
struct task *runner_take_done(struct runner *runner);

/* Poll it for POLLIN; runner_take_done() clears it. */
int runner_fd(const struct runner *runner);

/* Jobs waiting or running. */
size_t runner_load(struct runner *runner);

/* Jobs running. */
size_t runner_running(struct runner *runner);

/* Log a line for each running job: its tool and its request id. For a worker that must leave before
 * they finish. */
void runner_log_running(struct runner *runner);
