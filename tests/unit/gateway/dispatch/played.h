/*
 * tests/unit/gateway/dispatch/played.h - the dispatcher thread between callers and workers that a
 * test plays, with a clock that the test sets.
 *
 * Each row opens a dispatcher of the groups utils, chat and empty, which has no worker. A worker is
 * a short name (fake-sock.h); one that begins with @ is of the group chat, all others of utils.
 */
#pragma once

#include <pthread.h>

#include "fake-sock.h"
#include "gateway/dispatch/dispatch.h"

enum { BEGIN_MS = 1000000, BUDGET_MS = 2000, TICK_MS = 20, ATTEMPT_MS = BUDGET_MS / 2 };
enum { ANSWERS_BYTES = 1000 };

/* Contracts of utils: whether a job may run twice. */
extern const struct contract again, once, long_again, long_once;

extern struct metrics *metrics;
extern struct memory_budget answers;
extern struct dispatch *dispatch;
extern struct buf header; /* of the next message from a worker */

/* Before and after each row; contracts: those that subjobs may name. */
int open_dispatch(void **state);
int open_dispatch_of(struct contract *const *contracts, size_t count);
int close_dispatch(void **state);

/* ---- time ---- */

void advance(int64_t ms);

/* Let time pass, and return when every deadline was checked. */
void pass(int64_t ms);

/* ---- callers ---- */

/* A caller, and its result. */
struct ask {
    pthread_t thread;
    struct run *run; /* until it is done */
    struct dispatch_job job;
    struct dispatch_reply reply;
    bool ok;
    struct err err;
};

/* The dispatcher has processed its inbox. */
void wait_inbox_read(void);

/* Returns when the dispatcher has the job. */
void start_until(struct ask *ask, const struct contract *contract, uint8_t account,
                 int64_t left_ms);
void start(struct ask *ask, const struct contract *contract);

/* The caller's result: a reply with this body, or an error. */
void join(struct ask *ask, enum err_kind want, const char *want_body);

/* ---- workers ---- */

void say_ready(const char *peer, const char *key_group, const char *group);
void say_credit(const char *peer, uint32_t slots);
void say_heartbeat(const char *peer, bool is_draining);
void say_running(const char *peer, uint32_t running);
void say_reply(const char *peer, const struct uuid *id, const char *body);
void say_nack(const char *peer, const struct uuid *id, enum nack_reason reason);
void say_goodbye(const char *peer);

/* A worker that is ready and has this many slots. */
void come(const char *peer, uint32_t slots);

/* All earlier messages have been read. */
void settle(void);

/* The next job of that worker; this job, in this attempt. */
struct wire_job hear_job(const char *peer);
void expect_job(const char *peer, const struct ask *ask, uint32_t attempt);

/* A job that this worker gets at once; its reply reaches its caller. */
void give(const char *peer, struct ask *ask, const struct contract *contract);
void serve(const char *peer, struct ask *ask);

void expect_cancel(const char *peer, const struct uuid *id);

/* Wait, without a limit, until the metrics have this line. */
void expect_metric(const char *line);
