/* tests/unit/svc/runner.c - job threads: their replies, and the number of jobs they take. Built
 * with -Db_sanitize=thread it also proves that there is no data race. */
#include "svc/runner.h"

#include <dirent.h>
#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/os/clock.h"
#include "rows.h"
#include "svc/args.h"
#include "text/json.h"

enum { MAX_REPLY_BYTES = 100, PATIENCE_MS = 10000 };

/* ---- a tool that follows instructions ---- */

static sem_t begun;         /* of "block": posted when it runs */
static sem_t go;            /* and what it waits for */
static atomic_int begun_by; /* its thread */

static bool block(const struct job *job, cJSON *result)
{
    begun_by = gettid();
    sem_post(&begun);
    while (sem_wait(&go) != 0)
        ;
    json_bool(result, "ok", !job_is_cancelled(job));
    return true;
}

static bool answer_raw(const struct job *job, size_t size)
{
    scoped(buf_free) struct buf body = BUF(1000);
    for (size_t i = 0; i < size; i++)
        buf_add_byte(&body, 'r');
    job_raw(job, "text/plain", &body);
    job_header(job, "ETag", "\"%s\"", "e");
    return true;
}

static bool answer_printed(const struct job *job, cJSON *result)
{
    scoped(buf_free) struct buf object = BUF(100);
    buf_add_str(&object, "{\"text\":\"printed\"}");
    json_str(result, "text", "not this");
    job_result(job, &object);
    return true;
}

static bool play(const struct job *job, cJSON *result, struct err *err)
{
    const char *what = arg_str(job, "do");
    char large[MAX_REPLY_BYTES + 1];

    job_add_cost(job, 3, "EUR");
    job_add_cost(job, 4, "EUR");
    job_add_cost(job, 0, NULL);
    if (strcmp(what, "block") == 0)
        return block(job, result);
    if (strcmp(what, "refuse") == 0)
        return err_set(err, ERR_INVALID_COLOR, "no such color");
    if (strcmp(what, "raw") == 0 || strcmp(what, "large raw") == 0)
        return answer_raw(job, strcmp(what, "raw") == 0 ? 3 : MAX_REPLY_BYTES + 1);
    if (strcmp(what, "print") == 0)
        return answer_printed(job, result);
    memset(large, 'x', sizeof(large));
    large[MAX_REPLY_BYTES] = '\0';
    json_str(result, "text", strcmp(what, "large") == 0 ? large : "small");
    return true;
}

static const char contract_text[] = "tool: play\n"
                                    "title: A tool\n"
                                    "summary: It does as it is told.\n"
                                    "credits: 1\n"
                                    "rate_class: utility\n"
                                    "budget_ms: 2000\n"
                                    "max_reply_bytes: 100\n"
                                    "raw: [text/plain]\n"
                                    "raw_headers: [ETag]\n"
                                    "request:\n"
                                    "  required: [do]\n"
                                    "  properties:\n"
                                    "    do: { type: string }\n"
                                    "result:\n"
                                    "  properties:\n"
                                    "    text: { type: string }\n"
                                    "    ok: { type: boolean }\n"
                                    "errors: [invalid_color]\n"
                                    "examples: [{ request: { do: answer } }]\n";

static const struct tool tool = { "play", play };
static struct service service = { .tool = &tool };
static struct contract asking_contract; /* of a tool with egress; the only difference */
static struct service asking;
static struct metrics *metrics;

/* Load it from a file, as a worker does. */
static int set_up(void **state)
{
    char scratch[] = "/tmp/runner-XXXXXX";
    struct contract *contract = NULL;
    struct err err = { 0 };
    (void)state;
    assert_non_null(mkdtemp(scratch));
    scoped(mem_free) char *group = str_format("%s/svc-test", scratch);
    scoped(mem_free) char *folder = str_format("%s/play", group);
    scoped(mem_free) char *path = str_format("%s/play.yaml", folder);
    mkdir(group, 0700);
    mkdir(folder, 0700);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(contract_text, file);
    fclose(file);
    bool ok = contract_load(path, &contract, &err);
    remove(path);
    remove(folder);
    remove(group);
    remove(scratch);
    if (!ok)
        fail_msg("%s", err.message);
    struct labels labels = { "tool", "play" };
    metrics = metrics_new("test", "test");
    service.contract = contract;
    service.run_seconds = metrics_histogram(metrics, "run_seconds", "help", labels);
    service.done = metrics_counter(metrics, "done_total", "help", labels);
    service.failed = metrics_counter(metrics, "failed_total", "help", labels);
    asking_contract = *contract;
    asking_contract.open_world = true;
    asking = service;
    asking.contract = &asking_contract;
    return sem_init(&begun, 0, 0) + sem_init(&go, 0, 0);
}

static int tear_down(void **state)
{
    struct contract *contract = (struct contract *)(uintptr_t)service.contract;
    (void)state;
    contract_free(&contract);
    metrics_free(&metrics);
    return 0;
}

/* ---- jobs ---- */

static struct task *task_of(const char *body, int64_t left_ms, uint64_t link)
{
    struct task *task = mem_new(sizeof(*task));
    task->link = link;
    task->service = &service;
    task->job.id = uuid_new();
    task->body = mem_dup(body, strlen(body));
    task->body_bytes = strlen(body);
    task->received_us = clock_us();
    task->deadline_ms = clock_ms() + left_ms;
    return task;
}

static struct task *submit_to(struct runner *runner, const struct service *to, const char *body)
{
    struct task *task = task_of(body, PATIENCE_MS, 1);
    task->service = to;
    assert_true(runner_submit(runner, task));
    return task;
}

static struct task *submit(struct runner *runner, const char *body)
{
    return submit_to(runner, &service, body);
}

static struct task *wait_done(struct runner *runner)
{
    struct task *task;
    struct pollfd fd = { runner_fd(runner), POLLIN, 0 };
    while (!(task = runner_take_done(runner)))
        assert_int_equal(poll(&fd, 1, PATIENCE_MS), 1);
    return task;
}

static void wait_begun(void)
{
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_sec += PATIENCE_MS / 1000;
    int got;
    while ((got = sem_clockwait(&begun, CLOCK_MONOTONIC, &until)) != 0 && errno == EINTR)
        ;
    assert_int_equal(got, 0);
}

/* ---- replies ---- */

static const struct row {
    const char *name;
    const char *body;
    int64_t left_ms;
    enum err_kind want;
    const char *want_type;
    const char *want_result;
} rows[] = {
    { "a result", "{\"do\":\"answer\"}", 1000, ERR_NONE, "", "{\"text\":\"small\"}" },
    { "a printed result", "{\"do\":\"print\"}", 1000, ERR_NONE, "", "{\"text\":\"printed\"}" },
    { "a raw answer", "{\"do\":\"raw\"}", 1000, ERR_NONE, "text/plain", "rrr" },
    { "the tool rejects", "{\"do\":\"refuse\"}", 1000, ERR_INVALID_COLOR, NULL, "" },
    { "no body", "", 1000, ERR_BODY_REQUIRED, NULL, "" },
    { "no JSON", "{do", 1000, ERR_INVALID_JSON, NULL, "" },
    { "the contract rejects", "{\"do\":7}", 1000, ERR_INVALID_TYPE, NULL, "" },
    { "a result larger than the contract allows", "{\"do\":\"large\"}", 1000, ERR_INTERNAL, NULL,
      "" },
    { "a raw answer larger than the contract allows", "{\"do\":\"large raw\"}", 1000, ERR_INTERNAL,
      NULL, "" },
    { "time over before it begins", "{\"do\":\"block\"}", 0, ERR_DEADLINE_EXCEEDED, NULL, "" },
};

static void check(void **state)
{
    const struct row *row = *state;
    set_up(NULL);
    struct runner *runner = runner_start(2, 2, 0, 0);
    struct task *task = task_of(row->body, row->left_ms, 1);

    assert_true(runner_submit(runner, task));
    assert_ptr_equal(wait_done(runner), task);
    assert_false(task->is_cancelled);
    assert_int_equal(task->reply.errs.count, row->want != ERR_NONE);
    if (row->want != ERR_NONE)
        assert_int_equal(task->reply.errs.item[0].kind, row->want);
    else
        assert_string_equal(task->reply.content_type, row->want_type);
    assert_string_equal(buf_str(&task->result), row->want_result);
    bool has_run = row->want == ERR_NONE || row->want == ERR_INVALID_COLOR ||
                   row->want == ERR_INTERNAL; /* it costs also if it failed */
    assert_int_equal(task->reply.cost_micros, has_run ? 7 : 0);
    assert_string_equal(task->reply.cost_currency, has_run ? "EUR" : "");
    if (row->want == ERR_NONE && row->want_type[0]) {
        assert_int_equal(task->reply.header_count, 1);
        assert_string_equal(task->reply.header[0].name, "ETag");
        assert_string_equal(task->reply.header[0].value, "\"e\"");
    }
    task_free(&task);
    assert_int_equal(runner_load(runner), 0);
    runner_stop(&runner);
    tear_down(NULL);
}

/* ---- the queue ---- */

static void the_queue_has_an_end(void **state)
{
    (void)state;
    struct runner *runner = runner_start(1, 1, 2, 0);
    struct task *task[3];

    task[0] = submit(runner, "{\"do\":\"block\"}");
    wait_begun();
    task[1] = submit(runner, "{\"do\":\"answer\"}");
    task[2] = submit(runner, "{\"do\":\"answer\"}");
    struct task *refused = task_of("{\"do\":\"answer\"}", PATIENCE_MS, 1);
    assert_false(runner_submit(runner, refused));
    task_free(&refused);
    assert_int_equal(runner_load(runner), 3);
    assert_null(runner_take_done(runner));
    sem_post(&go);
    for (size_t i = 0; i < countof(task); i++) {
        assert_ptr_equal(wait_done(runner), task[i]);
        assert_int_equal(task[i]->reply.errs.count, 0);
        task_free(&task[i]);
    }
    runner_stop(&runner);
}

static void a_waiting_job_can_be_cancelled(void **state)
{
    (void)state;
    static const size_t order[] = { 1, 0, 2 }; /* first, last and middle of the queue */
    struct runner *runner = runner_start(1, 1, 3, 0);
    struct task *running = submit(runner, "{\"do\":\"block\"}");
    struct task *task[3];

    wait_begun();
    for (size_t i = 0; i < countof(task); i++)
        task[i] = submit(runner, "{\"do\":\"answer\"}");
    runner_cancel(runner, 2, &task[0]->job.id); /* another gateway's */
    runner_cancel(runner, 2, &running->job.id);
    assert_false(running->is_unwanted);
    runner_cancel(runner, 1, &running->job.id); /* runs already */
    assert_true(running->is_unwanted);
    assert_null(runner_take_done(runner));
    assert_int_equal(runner_load(runner), 4);
    for (size_t i = 0; i < countof(order); i++) {
        runner_cancel(runner, 1, &task[order[i]]->job.id);
        assert_int_equal(runner_load(runner), 3 - i);
        assert_ptr_equal(wait_done(runner), task[order[i]]);
        assert_true(task[order[i]]->is_cancelled);
        task_free(&task[order[i]]);
    }
    struct task *last = submit(runner, "{\"do\":\"answer\"}"); /* the queue is complete */
    sem_post(&go);
    assert_ptr_equal(wait_done(runner), running);
    assert_false(running->is_cancelled);
    assert_string_equal(buf_str(&running->result), "{\"ok\":false}");
    assert_ptr_equal(wait_done(runner), last);
    task_free(&running);
    task_free(&last);
    runner_stop(&runner);
}

/* Threads wake one another: none may be forgotten, in any order. */
static void as_many_run_as_there_are_slots(void **state)
{
    (void)state;
    enum { SLOTS = 4, ROUNDS = 200 };
    struct runner *runner = runner_start(SLOTS, SLOTS, 0, 0);
    for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < SLOTS; i++)
            submit(runner, "{\"do\":\"block\"}");
        for (int i = 0; i < SLOTS; i++)
            wait_begun(); /* all at once */
        struct task *refused = task_of("{\"do\":\"answer\"}", PATIENCE_MS, 1);
        assert_false(runner_submit(runner, refused));
        task_free(&refused);
        for (int i = 0; i < SLOTS; i++)
            sem_post(&go);
        for (int i = 0; i < SLOTS; i++) {
            struct task *task = wait_done(runner);
            assert_string_equal(buf_str(&task->result), "{\"ok\":true}");
            task_free(&task);
        }
    }
    runner_stop(&runner);
}

/* ---- two kinds of jobs ---- */

static void end_next(struct runner *runner, struct task *want)
{
    sem_post(&go);
    assert_ptr_equal(wait_done(runner), want);
    task_free(&want);
}

/* The oldest that may run goes first: if the second job that computes did not have to wait, it
 * would run before the one with egress. */
static void what_computes_waits_its_turn(void **state)
{
    (void)state;
    struct runner *runner = runner_start(4, 1, 0, 0);
    struct task *task[3];

    for (size_t i = 0; i < countof(task); i++)
        task[i] = submit(runner, "{\"do\":\"block\"}");
    wait_begun();
    struct task *other = submit_to(runner, &asking, "{\"do\":\"answer\"}");
    assert_ptr_equal(wait_done(runner), other);
    task_free(&other);
    assert_int_equal(runner_running(runner), 1);
    assert_int_equal(runner_load(runner), 3);
    for (size_t i = 0; i < countof(task); i++)
        end_next(runner, task[i]);
    runner_stop(&runner);
}

static void what_asks_has_all_slots(void **state)
{
    (void)state;
    enum { SLOTS = 3 };
    struct runner *runner = runner_start(SLOTS, 1, 1, 0);
    for (int i = 0; i < SLOTS; i++)
        submit_to(runner, &asking, "{\"do\":\"block\"}");
    for (int i = 0; i < SLOTS; i++)
        wait_begun();
    struct task *last = submit(runner, "{\"do\":\"answer\"}"); /* has no slot yet */
    assert_null(runner_take_done(runner));
    for (int i = 0; i < SLOTS; i++)
        sem_post(&go);
    for (int i = 0; i <= SLOTS; i++) {
        struct task *task = wait_done(runner);
        assert_false(i == 0 && task == last);
        task_free(&task);
    }
    runner_stop(&runner);
}

static void both_kinds_can_be_cancelled(void **state)
{
    (void)state;
    struct runner *runner = runner_start(1, 1, 2, 0);
    struct task *running = submit(runner, "{\"do\":\"block\"}");
    wait_begun();
    struct task *waiting[] = { submit(runner, "{\"do\":\"answer\"}"),
                               submit_to(runner, &asking, "{\"do\":\"answer\"}") };
    for (size_t i = 0; i < countof(waiting); i++) {
        runner_cancel(runner, 1, &waiting[i]->job.id);
        assert_ptr_equal(wait_done(runner), waiting[i]);
        assert_true(waiting[i]->is_cancelled);
        task_free(&waiting[i]);
    }
    end_next(runner, running);
    runner_stop(&runner);
}

/* ---- threads ---- */

static int threads_before; /* this one's, and one that the sanitizer starts with the first */

static int count_threads(void)
{
    DIR *folder = opendir("/proc/self/task");
    int count = -2; /* . and .. */
    assert_non_null(folder);
    while (readdir(folder))
        count++;
    closedir(folder);
    return count - threads_before;
}

/* A thread that was joined is visible for a moment. */
static void wait_threads_gone(void)
{
    int64_t deadline_ms = clock_ms() + PATIENCE_MS;
    while (count_threads() > 0 && clock_ms() < deadline_ms)
        sched_yield();
    assert_int_equal(count_threads(), 0);
}

static void threads_start_with_the_jobs(void **state)
{
    (void)state;
    enum { SLOTS = 3, JOBS = 5 };
    wait_threads_gone();
    struct runner *runner = runner_start(SLOTS, SLOTS, JOBS, 0);
    for (int i = 1; i <= JOBS; i++) {
        submit(runner, "{\"do\":\"block\"}");
        assert_int_equal(count_threads(), i < SLOTS ? i : SLOTS);
    }
    for (int i = 0; i < JOBS; i++) {
        wait_begun();
        sem_post(&go);
        struct task *task = wait_done(runner);
        task_free(&task);
    }
    runner_stop(&runner);
    wait_threads_gone();
}

static void what_may_not_run_needs_no_thread(void **state)
{
    (void)state;
    enum { JOBS = 4, COMPUTING_MAX = 2 };
    wait_threads_gone();
    struct runner *runner = runner_start(JOBS, COMPUTING_MAX, 0, 0);
    for (int i = 0; i < JOBS; i++)
        submit(runner, "{\"do\":\"block\"}");
    assert_int_equal(count_threads(), COMPUTING_MAX);
    for (int i = 0; i < JOBS; i++) {
        sem_post(&go);
        struct task *task = wait_done(runner);
        task_free(&task);
    }
    runner_stop(&runner);
    wait_threads_gone();
}

static void one_job_after_the_other_needs_one_thread(void **state)
{
    (void)state;
    wait_threads_gone();
    struct runner *runner = runner_start(8, 8, 0, 0);
    for (int i = 0; i < 100; i++) {
        struct task *task = submit(runner, "{\"do\":\"answer\"}");
        assert_ptr_equal(wait_done(runner), task);
        task_free(&task);
        assert_int_equal(count_threads(), 1);
    }
    runner_stop(&runner);
}

static void stopping_frees_what_nobody_took(void **state)
{
    (void)state;
    struct runner *runner = runner_start(2, 2, 10, 0);
    for (int i = 0; i < 5; i++)
        submit(runner, "{\"do\":\"answer\"}");
    runner_stop(&runner);
    assert_null(runner);
}

/* ---- the CPU ---- */

static void jobs_have_the_configured_niceness(void **state)
{
    (void)state;
    int ours = getpriority(PRIO_PROCESS, (id_t)gettid());
    struct runner *runner = runner_start(1, 1, 0, 7);
    struct task *task = submit(runner, "{\"do\":\"block\"}");
    wait_begun();
    assert_int_equal(getpriority(PRIO_PROCESS, (id_t)begun_by), 7);
    assert_int_equal(getpriority(PRIO_PROCESS, (id_t)gettid()), ours);
    sem_post(&go);
    assert_ptr_equal(wait_done(runner), task);
    task_free(&task);
    runner_stop(&runner);
}

int main(void)
{
    struct runner *first = runner_start(1, 1, 0, 0);
    threads_before = count_threads();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_queue_has_an_end, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_waiting_job_can_be_cancelled, set_up, tear_down),
        cmocka_unit_test_setup_teardown(as_many_run_as_there_are_slots, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_computes_waits_its_turn, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_asks_has_all_slots, set_up, tear_down),
        cmocka_unit_test_setup_teardown(both_kinds_can_be_cancelled, set_up, tear_down),
        cmocka_unit_test_setup_teardown(threads_start_with_the_jobs, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_may_not_run_needs_no_thread, set_up, tear_down),
        cmocka_unit_test_setup_teardown(one_job_after_the_other_needs_one_thread, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(jobs_have_the_configured_niceness, set_up, tear_down),
        cmocka_unit_test_setup_teardown(stopping_frees_what_nobody_took, set_up, tear_down),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL) + RUN_ROWS(rows, check);
    runner_stop(&first);
    return failed;
}
