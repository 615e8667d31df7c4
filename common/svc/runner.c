/* common/svc/runner.c - job threads: check the request, run the tool, print its result. */
#include "svc/runner.h"

#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/num.h"
#include "base/os/clock.h"
#include "base/os/log.h"
#include "base/os/wakeup.h"
#include "text/json.h"

enum { STACK_BYTES = 8 << 20 };

struct task_list {
    struct task *first;
    struct task *last;
};

/* Jobs of one kind, with a limit of concurrent ones. */
struct lane {
    struct task_list waiting;
    struct task_list running;
    size_t waiting_count;
    size_t running_count;
    size_t running_max;
};

enum { COMPUTING, ASKING, LANES };

struct runner {
    pthread_mutex_t mutex; /* guards everything below */
    pthread_cond_t work;
    struct lane lane[LANES];
    struct task_list done;
    size_t idle_count; /* sleeping threads, including one that is being woken */
    bool is_waking;
    size_t queue_max;
    bool is_stopping;
    bool is_short; /* the system gave no thread, and that was logged */
    int wakeup;    /* signaled when a task is done */
    int niceness;
    size_t slots;
    size_t thread_count; /* at most slots */
    pthread_t *threads;
};

static void append_task(struct task_list *list, struct task *task)
{
    task->next = NULL;
    if (list->last)
        list->last->next = task;
    else
        list->first = task;
    list->last = task;
}

static struct task *shift_task(struct task_list *list)
{
    struct task *task = list->first;
    if (!task)
        return NULL;
    list->first = task->next;
    if (!list->first)
        list->last = NULL;
    task->next = NULL;
    return task;
}

static void unlink_task(struct task_list *list, struct task *task)
{
    struct task *before = NULL;
    for (struct task *at = list->first; at != task; at = at->next)
        before = at;
    if (before)
        before->next = task->next;
    else
        list->first = task->next;
    if (list->last == task)
        list->last = before;
}

static struct lane *lane_of(struct runner *runner, const struct task *task)
{
    return &runner->lane[task->service->contract->open_world ? ASKING : COMPUTING];
}

static size_t lane_load(const struct lane *lane)
{
    return lane->waiting_count + lane->running_count;
}

static size_t count_running(const struct runner *runner)
{
    return runner->lane[COMPUTING].running_count + runner->lane[ASKING].running_count;
}

static size_t count_load(const struct runner *runner)
{
    return lane_load(&runner->lane[COMPUTING]) + lane_load(&runner->lane[ASKING]);
}

/* The lane of the oldest job that may run now; NULL: no job may run. Requires the mutex. */
static struct lane *next_lane(struct runner *runner)
{
    struct lane *next = NULL;
    for (size_t i = 0; i < LANES; i++) {
        struct lane *lane = &runner->lane[i];
        const struct task *first = lane->waiting.first;
        if (first && lane->running_count < lane->running_max &&
            (!next || first->received_us < next->waiting.first->received_us))
            next = lane;
    }
    return next;
}

void task_free(struct task **address)
{
    struct task *task = *address;
    if (!task)
        return;
    if (task->body)
        explicit_bzero(task->body, task->body_bytes); /* it may contain a password or a token */
    mem_free(&task->body);
    wire_reply_free(&task->reply);
    buf_free(&task->result);
    mem_free(address);
}

/* ---- one job ---- */

static void copy_head(struct task *task, struct answer *answer)
{
    struct wire_reply *reply = &task->reply;
    snprintf(reply->content_type, sizeof(reply->content_type), "%s", answer->content_type);
    for (size_t i = 0; i < answer->header_count; i++) {
        snprintf(reply->header[i].name, WIRE_NAME_BYTES, "%s", answer->header[i].name);
        reply->header[i].value = take(answer->header[i].value);
        reply->header_count++;
    }
}

static void copy_cost(struct wire_reply *reply, const struct answer *answer)
{
    reply->cost_micros = (uint64_t)answer->cost_micros;
    if (answer->cost_currency)
        snprintf(reply->cost_currency, sizeof(reply->cost_currency), "%s", answer->cost_currency);
}

static void take_over_body(struct task *task, struct answer *answer)
{
    buf_free(&task->result);
    task->result = answer->body;
    answer->body = (struct buf){ 0 };
}

static bool run_tool(struct task *task, const cJSON *args, struct errs *errs)
{
    const struct contract *contract = task->service->contract;
    scoped(answer_free) struct answer answer = { 0 };
    scoped(data_drop) struct data_version *data = data_hold(task->service->data);
    scoped(json_free) cJSON *result = json_object();
    struct err err = { 0 };
    struct job job = { .contract = contract,
                       .request_id = task->job.request_id,
                       .args = args,
                       .body = { task->body, task->body_bytes },
                       .data = data_content(data),
                       .egress = task->service->egress,
                       .subjobs = task->service->subjobs,
                       .link = task->link,
                       .id = task->job.id,
                       .attempt = task->job.attempt,
                       .deadline_ms = task->deadline_ms,
                       .now_ms = clock_wall_ms(),
                       .answer = &answer,
                       .cancelled = &task->is_unwanted };

    bool ok = task->service->tool->run(&job, result, &err);
    copy_cost(&task->reply, &answer); /* it costs also if it failed */
    if (!ok) {
        assert(err.kind != ERR_NONE);
        return errs_add_err(errs, &err);
    }
    if (answer.content_type)
        copy_head(task, &answer);
    if (answer.content_type || answer.has_result)
        take_over_body(task, &answer);
    else
        json_print(result, &task->result);
    if (task->result.full || task->result.size > contract->max_reply_bytes)
        return errs_add(errs, ERR_INTERNAL, "the answer is larger than %zu bytes",
                        contract->max_reply_bytes);
    return true;
}

/* The trace id of "00-<trace id>-<span id>-<flags>", as the gateways log it; "": the job has no
 * such text. */
static struct text trace_of(const struct task *task)
{
    struct text rest = text_of(task->job.traceparent);
    text_cut(&rest, '-');
    return text_cut(&rest, '-');
}

static void log_failure(enum log_level level, const char *message, const struct task *task,
                        const char *code, const char *why)
{
    struct text trace = trace_of(task);
    scoped(mem_free) char *trace_id = str_format("%.*s", (int)trace.size, trace.bytes);
    log_line(level, message, log_str("tool", task->service->contract->tool),
             log_str("error.type", code), log_str("request_id", task->job.request_id),
             log_str("trace_id", trace_id), log_str("error", why));
}

static void run_task(struct task *task)
{
    const struct service *service = task->service;
    scoped(json_wipe) cJSON *args = NULL; /* like the body */
    struct errs *errs = &task->reply.errs;
    struct text body = { task->body, task->body_bytes };
    int64_t begin_us = clock_us();
    bool ok = false;

    task->reply.queue_us = (uint32_t)(begin_us - task->received_us);
    task->result = (struct buf)BUF(service->contract->max_reply_bytes);
    if (clock_ms() >= task->deadline_ms)
        errs_add(errs, ERR_DEADLINE_EXCEEDED, "the call waited longer than its budget");
    else if (contract_check(service->contract, body, &args, NULL, errs))
        ok = run_tool(task, args, errs);
    task->reply.run_us = (uint32_t)(clock_us() - begin_us);

    if (!ok)
        buf_clear(&task->result);
    counter_add(ok ? service->done : service->failed, 1);
    histogram_add(service->run_seconds, task->reply.run_us);
    if (!ok && err_status(errs->item[0].kind) == 500)
        log_failure(LOG_ERROR, "tool failed", task, err_code(errs->item[0].kind),
                    errs->item[0].message);
}

/* ---- threads ---- */

/*
 * Add the task to the done ones. Returns whether to signal: the I/O thread takes tasks until none
 * is left. Requires the mutex.
 */
static bool is_first_done(struct runner *runner, struct task *task)
{
    bool is_first = !runner->done.first;
    append_task(&runner->done, task);
    return is_first;
}

/*
 * Should one more thread be woken? Only one at a time: a woken thread wakes the next if it finds
 * more than it takes, and running threads have often done the rest by then. Requires the mutex.
 */
static bool wakes_one(struct runner *runner)
{
    bool wakes = runner->idle_count > 0 && !runner->is_waking && next_lane(runner);
    runner->is_waking |= wakes;
    return wakes;
}

static void sleep_until_woken(struct runner *runner)
{
    runner->idle_count++;
    pthread_cond_wait(&runner->work, &runner->mutex);
    runner->idle_count--;
    runner->is_waking = false;
}

/*
 * Take the lane's first task, run it, and add it to the done ones. Called with the mutex, which it
 * releases while the tool runs.
 */
static void run_first(struct runner *runner, struct lane *lane)
{
    struct task *task = shift_task(&lane->waiting);
    lane->waiting_count--;
    lane->running_count++;
    append_task(&lane->running, task);
    bool wakes = wakes_one(runner);
    pthread_mutex_unlock(&runner->mutex);
    if (wakes)
        pthread_cond_signal(&runner->work);

    run_task(task);

    pthread_mutex_lock(&runner->mutex);
    lane->running_count--;
    unlink_task(&lane->running, task);
    if (!is_first_done(runner, task))
        return;
    pthread_mutex_unlock(&runner->mutex);
    wakeup_signal(runner->wakeup);
    pthread_mutex_lock(&runner->mutex);
}

static void *job_thread(void *argument)
{
    struct runner *runner = argument;
    pthread_setname_np(pthread_self(), "job");
    setpriority(PRIO_PROCESS, (id_t)gettid(),
                runner->niceness); /* on Linux, for this thread only */
    pthread_mutex_lock(&runner->mutex);
    for (;;) {
        struct lane *lane = next_lane(runner);
        if (lane)
            run_first(runner, lane);
        else if (runner->is_stopping)
            break;
        else
            sleep_until_woken(runner);
    }
    pthread_mutex_unlock(&runner->mutex);
    return NULL;
}

static bool start_thread(struct runner *runner)
{
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, STACK_BYTES);
    bool ok = pthread_create(&runner->threads[runner->thread_count], &attributes, job_thread,
                             runner) == 0;
    pthread_attr_destroy(&attributes);
    runner->thread_count += ok;
    return ok;
}

/* The number of jobs that would run now if each had a thread. */
static size_t count_runnable(const struct runner *runner)
{
    size_t count = 0;
    for (size_t i = 0; i < LANES; i++)
        count += MIN(lane_load(&runner->lane[i]), runner->lane[i].running_max);
    return MIN(count, runner->slots);
}

/*
 * Start threads until each job that may run has one that sleeps or is about to. If the system gives
 * no thread, the job waits for an existing one. Requires the mutex.
 */
static void grow_threads(struct runner *runner)
{
    if (runner->thread_count >= count_runnable(runner))
        return;
    if (start_thread(runner) || runner->is_short)
        return;
    runner->is_short = true;
    log_line(LOG_WARN, "the system gives no more job threads",
             log_int("threads", (int64_t)runner->thread_count),
             log_int("concurrency", (int64_t)runner->slots));
}

struct runner *runner_start(size_t slots, size_t computing_max, size_t queue_max, int niceness)
{
    struct runner *runner = mem_new(sizeof(*runner));
    pthread_mutex_init(&runner->mutex, NULL);
    pthread_cond_init(&runner->work, NULL);
    runner->queue_max = queue_max;
    runner->niceness = niceness;
    runner->wakeup = wakeup_new();
    runner->slots = slots;
    runner->lane[ASKING].running_max = slots;
    runner->lane[COMPUTING].running_max = MIN(computing_max, slots);
    runner->threads = mem_array(slots, sizeof(*runner->threads));
    bool ok = start_thread(runner);
    assert(ok);
    return runner;
}

void runner_stop(struct runner **address)
{
    struct runner *runner = *address;
    struct task *task;
    if (!runner)
        return;
    pthread_mutex_lock(&runner->mutex);
    runner->is_stopping = true;
    pthread_cond_broadcast(&runner->work);
    pthread_mutex_unlock(&runner->mutex);
    for (size_t i = 0; i < runner->thread_count; i++)
        pthread_join(runner->threads[i], NULL);
    while ((task = shift_task(&runner->done)))
        task_free(&task);
    wakeup_free(&runner->wakeup);
    mem_free(&runner->threads);
    mem_free(address);
}

bool runner_submit(struct runner *runner, struct task *task)
{
    pthread_mutex_lock(&runner->mutex);
    bool fits = count_load(runner) < runner->slots + runner->queue_max;
    if (fits) {
        struct lane *lane = lane_of(runner, task);
        append_task(&lane->waiting, task);
        lane->waiting_count++;
        grow_threads(runner);
    }
    bool wakes = wakes_one(runner);
    pthread_mutex_unlock(&runner->mutex);
    if (wakes)
        pthread_cond_signal(&runner->work);
    return fits;
}

/* This job of that gateway; NULL if it is not in the list. */
static struct task *find_task(const struct task_list *list, uint64_t link, const struct uuid *job)
{
    struct task *task = list->first;
    while (task && (task->link != link || !uuid_equal(&task->job.id, job)))
        task = task->next;
    return task;
}

/* Take a waiting job out of its lane, or mark a running one as unwanted. Requires the
 * mutex. */
static struct task *cancel_in(struct lane *lane, uint64_t link, const struct uuid *job)
{
    struct task *waiting = find_task(&lane->waiting, link, job);
    struct task *running = find_task(&lane->running, link, job);
    if (running)
        running->is_unwanted = true;
    if (!waiting)
        return NULL;
    unlink_task(&lane->waiting, waiting);
    lane->waiting_count--;
    return waiting;
}

void runner_cancel(struct runner *runner, uint64_t link, const struct uuid *job)
{
    struct task *task = NULL;
    pthread_mutex_lock(&runner->mutex);
    for (size_t i = 0; i < LANES && !task; i++)
        task = cancel_in(&runner->lane[i], link, job);
    if (task)
        task->is_cancelled = true;
    bool rings = task && is_first_done(runner, task);
    pthread_mutex_unlock(&runner->mutex);
    if (rings)
        wakeup_signal(runner->wakeup);
}

static struct task *shift_done(struct runner *runner)
{
    pthread_mutex_lock(&runner->mutex);
    struct task *task = shift_task(&runner->done);
    pthread_mutex_unlock(&runner->mutex);
    return task;
}

struct task *runner_take_done(struct runner *runner)
{
    struct task *task = shift_done(runner);
    if (task)
        return task;
    wakeup_clear(runner->wakeup);
    return shift_done(runner);
}

int runner_fd(const struct runner *runner)
{
    return runner->wakeup;
}

size_t runner_load(struct runner *runner)
{
    pthread_mutex_lock(&runner->mutex);
    size_t load = count_load(runner);
    pthread_mutex_unlock(&runner->mutex);
    return load;
}

size_t runner_running(struct runner *runner)
{
    pthread_mutex_lock(&runner->mutex);
    size_t running = count_running(runner);
    pthread_mutex_unlock(&runner->mutex);
    return running;
}

void runner_log_running(struct runner *runner)
{
    pthread_mutex_lock(&runner->mutex);
    for (size_t i = 0; i < LANES; i++)
        for (const struct task *task = runner->lane[i].running.first; task; task = task->next)
            log_failure(LOG_WARN, "a job was cut off", task, err_code(ERR_WORKER_LOST),
                        "the daemon's time to stop is over");
    pthread_mutex_unlock(&runner->mutex);
}
