/*
 * common/svc/runner.h - the job threads of a daemon, behind one bounded queue.
 *
 * The I/O thread submits jobs and collects what is done; a bell tells when. A tool runs on a
 * job thread with a stack of 8 MiB and never sees a socket.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "admin/metrics.h"
#include "bus/wire.h"
#include "svc/job.h"

/* A tool and its contract, as the daemon serves them. */
struct service {
    const struct tool *tool;
    const struct contract *contract;
    struct data *data;       /* shared by the tools of one kind; NULL: none */
    struct egress *egress;   /* shared by all; NULL: the group does not go out */
    struct subjobs *subjobs; /* shared by all */
    struct histogram *run_seconds;
    struct counter *done;
    struct counter *failed;
};

/* A job from its arrival to its reply. */
struct task {
    struct task *next;
    uint64_t link; /* which gateway sent it */
    const struct service *service;
    struct wire_job job;
    char *body;
    size_t body_bytes;
    int64_t received_us;
    int64_t deadline_ms;
    bool is_cancelled;
    struct wire_reply reply;
    struct buf result; /* the reply's body */
};

void task_free(struct task **task);

struct runner;

/*
 * Run at most `slots` jobs at once, each on a thread of that niceness, nice(2), and at most
 * `computing_max` of them of tools that ask nobody (open_world of their contract): what only
 * computes gains nothing from sharing a core, and of many that share one all are late. At most
 * `queue_max` wait beside those that run, each until its turn comes, the oldest first.
 *
 * There are as many threads as there were jobs at once, one at least, for a thread that never ran
 * has its stack's memory, too. A job that may run does not wait for another one, unless the system
 * gives no more threads: that is logged.
 */
struct runner *runner_start(size_t slots, size_t computing_max, size_t queue_max, int niceness);

/* Wait for what runs (the queue must be empty) and end the threads. */
void runner_stop(struct runner **runner);

/* Hand a job over. False, with the task still the caller's, when the queue is full. */
bool runner_submit(struct runner *runner, struct task *task);

/* Nobody waits for this job of that gateway: drop it if it has not begun. */
void runner_cancel(struct runner *runner, uint64_t link, const struct uuid *job);

/* What is done (or was dropped: is_cancelled), oldest first, NULL: nothing. The caller frees it. */
struct task *runner_take_done(struct runner *runner);

/* Poll it for POLLIN; runner_take_done() clears it. */
int runner_fd(const struct runner *runner);

/* Jobs waiting or running. */
size_t runner_load(struct runner *runner);

/* Jobs running. */
size_t runner_running(struct runner *runner);
