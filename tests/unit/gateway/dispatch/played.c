/* tests/unit/gateway/dispatch/played.c - callers and workers. */
#include "played.h"

#include <semaphore.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/os/clock.h"
#include "rows.h"

const struct contract again = { .tool = "again",
                                .group = "utils",
                                .retryable = true,
                                .budget_ms = BUDGET_MS,
                                .max_reply_bytes = 100 };
const struct contract once = {
    .tool = "once", .group = "utils", .budget_ms = BUDGET_MS, .max_reply_bytes = 100
};

const struct contract long_again = { .tool = "long-again",
                                     .group = "utils",
                                     .retryable = true,
                                     .budget_ms = 30000,
                                     .max_reply_bytes = 100 };
const struct contract long_once = {
    .tool = "long-once", .group = "utils", .budget_ms = 30000, .max_reply_bytes = 100
};

struct buf header = BUF(HEADER_MAX_BYTES); /* of the next message from a worker */

/* ---- the dispatcher under test ---- */

struct metrics *metrics;
struct memory_budget answers;
struct dispatch *dispatch;

int open_dispatch_of(struct contract *const *contracts, size_t count)
{
    static const char *const groups[] = { "utils", "chat", "empty" };
    metrics = metrics_new("test", "test");
    memory_budget_open(&answers, ANSWERS_BYTES, 10, "crowded");
    struct dispatch_options options = { .endpoint = "",
                                        .groups = groups,
                                        .group_count = countof(groups),
                                        .contracts = contracts,
                                        .contract_count = count,
                                        .threads = 12,
                                        .answers = &answers,
                                        .metrics = metrics };
    clock_stop(BEGIN_MS, 0);
    fake_reset();
    assert_true(dispatch_start(&options, allow_new(), &dispatch, NULL));
    return 0;
}

int open_dispatch(void **state)
{
    (void)state;
    return open_dispatch_of(NULL, 0);
}

int close_dispatch(void **state)
{
    (void)state;
    dispatch_stop(&dispatch);
    metrics_free(&metrics);
    memory_budget_close(&answers);
    fake_reset();
    buf_free(&header);
    clock_run();
    return 0;
}

/* ---- time ---- */

void advance(int64_t ms)
{
    clock_stop(clock_ms() + ms, 0);
}

/* ---- callers ---- */

/* The number of waits in dispatch.c that have begun: a job is in the inbox before its caller
 * waits. */
static struct {
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    size_t begun;
} waits = { .mutex = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER };

int __real_sem_wait(sem_t *sem);
int __wrap_sem_wait(sem_t *sem);

/* The linker replaces sem_wait() with this (--wrap). */
int __wrap_sem_wait(sem_t *sem)
{
    pthread_mutex_lock(&waits.mutex);
    waits.begun++;
    pthread_cond_broadcast(&waits.changed);
    pthread_mutex_unlock(&waits.mutex);
    return __real_sem_wait(sem);
}

static void post(void *done)
{
    sem_post(done);
}

static void *run_ask(void *argument)
{
    struct ask *ask = argument;
    ask->job.group = dispatch_group(dispatch, ask->job.contract->group);
    struct run *run = ask->run = dispatch_prepare(dispatch, &ask->job, &ask->reply);
    sem_t done;
    sem_init(&done, 0, 0);
    dispatch_submit(run, post, &done);
    while (sem_wait(&done) != 0)
        ;
    sem_destroy(&done);
    ask->ok = dispatch_end(&run, &ask->err);
    return NULL;
}

/* The dispatcher has processed its inbox: a new allow list comes with it. */
void wait_inbox_read(void)
{
    size_t reloads = fake_reloads();
    dispatch_allow(dispatch, allow_new());
    assert_true(fake_wait_reloads(reloads + 1));
}

/* Returns when the dispatcher has the job. */
void start_until(struct ask *ask, const struct contract *contract, uint8_t account, int64_t left_ms)
{
    pthread_mutex_lock(&waits.mutex);
    size_t begun = waits.begun;
    pthread_mutex_unlock(&waits.mutex);
    *ask = (struct ask){ .job = { .contract = contract,
                                  .id = uuid_new(),
                                  .account = { { account } },
                                  .body = TEXT("{\"a\":1}"),
                                  .request_id = "request",
                                  .traceparent = "trace",
                                  .deadline_ms = clock_ms() + left_ms } };
    assert_int_equal(pthread_create(&ask->thread, NULL, run_ask, ask), 0);
    pthread_mutex_lock(&waits.mutex);
    while (waits.begun == begun)
        pthread_cond_wait(&waits.changed, &waits.mutex);
    pthread_mutex_unlock(&waits.mutex);
    wait_inbox_read();
}

void start(struct ask *ask, const struct contract *contract)
{
    start_until(ask, contract, 1, contract->budget_ms);
}

/* The caller's result: a reply with this body, or an error. */
void join(struct ask *ask, enum err_kind want, const char *want_body)
{
    assert_int_equal(pthread_join(ask->thread, NULL), 0);
    assert_int_equal(ask->err.kind, want);
    assert_int_equal(ask->ok, want == ERR_NONE);
    if (ask->ok)
        assert_string_equal(buf_str(&ask->reply.body), want_body);
    dispatch_reply_free(&ask->reply);
}

/* ---- workers ---- */

static const char *group_of(const char *peer)
{
    return *peer == '@' ? "chat" : "utils";
}

void say_ready(const char *peer, const char *key_group, const char *group)
{
    struct wire_ready ready = { .instance = uuid_new() };
    snprintf(ready.group, sizeof(ready.group), "%s", group);
    wire_put_ready(&header, &ready);
    fake_say(peer, key_group, MSG_READY, &header, TEXT(""));
}

void say_credit(const char *peer, uint32_t slots)
{
    wire_put_credit(&header, slots);
    fake_say(peer, group_of(peer), MSG_CREDIT, &header, TEXT(""));
}

void say_heartbeat(const char *peer, bool is_draining)
{
    wire_put_heartbeat(&header, &(struct wire_heartbeat){ .is_draining = is_draining });
    fake_say(peer, group_of(peer), MSG_HEARTBEAT, &header, TEXT(""));
}

void say_running(const char *peer, uint32_t running)
{
    wire_put_heartbeat(&header, &(struct wire_heartbeat){ .running = running });
    fake_say(peer, group_of(peer), MSG_HEARTBEAT, &header, TEXT(""));
}

void say_reply(const char *peer, const struct uuid *id, const char *body)
{
    wire_put_reply(&header, &(struct wire_reply){ .id = *id });
    fake_say(peer, group_of(peer), MSG_REPLY, &header, text_of(body));
}

void say_nack(const char *peer, const struct uuid *id, enum nack_reason reason)
{
    wire_put_nack(&header, id, reason);
    fake_say(peer, group_of(peer), MSG_NACK, &header, TEXT(""));
}

void say_goodbye(const char *peer)
{
    wire_put_goodbye(&header, "shutdown");
    fake_say(peer, group_of(peer), MSG_GOODBYE, &header, TEXT(""));
}

/* A worker that is ready and has this many slots. */
void come(const char *peer, uint32_t slots)
{
    say_ready(peer, group_of(peer), group_of(peer));
    assert_true(fake_hear(peer, MSG_WELCOME, NULL));
    say_credit(peer, slots);
}

/* All earlier messages have been read when this unknown worker is rejected. */
void settle(void)
{
    say_heartbeat("outsider", false);
    assert_true(fake_hear("outsider", MSG_GOODBYE, NULL));
}

struct wire_job hear_job(const char *peer)
{
    struct heard heard = { 0 };
    struct wire_job job = { 0 };
    assert_true(fake_hear(peer, MSG_JOB, &heard));
    assert_true(wire_get_job(heard.header, &job));
    return job;
}

/* This job, in this attempt. */
void expect_job(const char *peer, const struct ask *ask, uint32_t attempt)
{
    struct wire_job job = hear_job(peer);
    assert_memory_equal(&job.id, &ask->job.id, sizeof(job.id));
    assert_int_equal(job.attempt, attempt);
}

/* A job that this worker gets at once. */
void give(const char *peer, struct ask *ask, const struct contract *contract)
{
    start(ask, contract);
    expect_job(peer, ask, 1);
}

/* Its reply reaches its caller. */
void serve(const char *peer, struct ask *ask)
{
    say_reply(peer, &ask->job.id, "{}");
    join(ask, ERR_NONE, "{}");
}

void expect_cancel(const char *peer, const struct uuid *want)
{
    struct heard heard = { 0 };
    struct uuid id = { 0 };
    assert_true(fake_hear(peer, MSG_CANCEL, &heard));
    assert_true(wire_get_cancel(heard.header, &id));
    assert_memory_equal(&id, want, sizeof(id));
}

/* Let time pass, and return when every deadline was checked. A job without a worker shows it: its
 * wait ends at that moment. */
void pass(int64_t ms)
{
    static const struct contract hopeless = { .tool = "hopeless",
                                              .group = "empty",
                                              .budget_ms = 2 * TICK_MS };
    struct ask marker;
    advance(ms - TICK_MS);
    start(&marker, &hopeless);
    advance(TICK_MS);
    join(&marker, ERR_NO_WORKER, NULL);
    settle();
}

/* Wait, without a limit, until the metrics have this line. */
void expect_metric(const char *line)
{
    bool found = false;
    while (!found) {
        scoped(buf_free) struct buf text = BUF(1 << 20);
        advance(TICK_MS); /* they are updated at a tick */
        settle();
        assert_true(metrics_write(metrics, &text));
        found = strstr(buf_str(&text), line);
    }
}
