/* tests/unit/growth.c - calls leave nothing behind: neither memory nor descriptors.
 *
 *     growth-GROUP [CONFIG TOOL]
 *
 * Linked with a group's main.c it replaces the skeleton, so the worker's own table lists the tools.
 * A job thread runs the examples of each contract in turn, first to fill what is kept for good,
 * then to count. Tools with egress need a tollgate.yaml; then one tool is run, for a while only:
 * exposed-files is slow by design.
 *
 * Under AddressSanitizer the bytes in use are not known, and its report at the end decides. The
 * program restarts itself without the caches of malloc's threads, which count as used.
 */
#include <dirent.h>
#include <malloc.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/os/clock.h"
#include "rows.h"
#include "svc/runner.h"
#include "svc/svc.h"
#include "text/json.h"

#ifdef __SANITIZE_ADDRESS__
enum { CALLS = 10, CALLS_OUTSIDE = 10 };
#else
enum { CALLS = 1000, CALLS_OUTSIDE = 200 };
#endif
enum {
    LEAK_BYTES = 16,   /* a call's smallest leak is more: malloc's smallest block is 32 */
    WARM_UP_MS = 3000, /* libcurl 8 keeps a buffer of 16 KB, at the latest from the third call on */
    TIME_MS = 6000,
    BODY_MAX_BYTES = 1 << 20,
};

struct row {
    const char *name;
    struct service service;
    size_t calls;
};

static struct runner *runner;

static size_t bytes_in_use(void)
{
    struct mallinfo2 info = mallinfo2();
    return info.uordblks + info.hblkhd;
}

static size_t open_descriptors(void)
{
    DIR *folder = opendir("/proc/self/fd");
    size_t count = 0;
    while (readdir(folder))
        count++;
    closedir(folder);
    return count;
}

static struct task *task_of(const struct service *service, const cJSON *request)
{
    scoped(buf_free) struct buf body = BUF(BODY_MAX_BYTES);
    struct task *task = mem_new(sizeof(*task));
    json_print(request, &body);
    task->service = service;
    task->body = mem_dup(buf_str(&body), body.size);
    task->body_bytes = body.size;
    task->received_us = clock_us();
    task->deadline_ms = clock_ms() + service->contract->budget_ms;
    return task;
}

static void call(const struct service *service, const cJSON *request)
{
    scoped(task_free) struct task *task = NULL;

    assert_true(runner_submit(runner, task_of(service, request)));
    while (!(task = runner_take_done(runner)))
        poll(&(struct pollfd){ runner_fd(runner), POLLIN, 0 }, 1, -1);
    assert_string_equal(task->reply.errs.item[0].message, "");
}

/* Run the examples until there were this many calls or time is up. Returns the number. */
static size_t call_all(const struct row *row, size_t count, int64_t time_ms)
{
    const cJSON *examples = json_get(row->service.contract->document, "examples");
    const cJSON *example;
    int64_t end_ms = clock_ms() + time_ms;
    size_t calls = 0;

    do {
        cJSON_ArrayForEach(example, examples) {
            call(&row->service, json_get(example, "request"));
            calls++;
        }
    } while (calls < count && clock_ms() < end_ms);
    return calls;
}

static void check(void **state)
{
    const struct row *row = *state;

    call_all(row, row->calls / 10, WARM_UP_MS);
    size_t bytes = bytes_in_use();
    size_t descriptors = open_descriptors();
    size_t calls = call_all(row, row->calls, TIME_MS);
    size_t grown = bytes_in_use() > bytes ? bytes_in_use() - bytes : 0;

    print_message("%s: %zu bytes more after %zu calls\n", row->name, grown, calls);
    assert_in_range(grown, 0, calls * LEAK_BYTES - 1);
    assert_int_equal(open_descriptors(), descriptors);
}

/* ---- the skeleton's parts ---- */

struct stand_in {
    struct conf *conf;
    struct egress *egress;
    struct contract **contracts;
    size_t contract_count;
    struct metrics *metrics;
};

static bool open_stand_in(struct stand_in *stand_in, const char *config, const char *group,
                          const struct outside *outside, struct err *err)
{
    stand_in->metrics = metrics_new("test", "test");
    return conf_load(config, &stand_in->conf, err) &&
           contract_load_all(SOURCE_ROOT, group, &stand_in->contracts, &stand_in->contract_count,
                             err) &&
           (!outside || outside->open(stand_in->conf, &stand_in->egress, err));
}

static void close_stand_in(struct stand_in *stand_in, const struct outside *outside)
{
    if (outside)
        outside->close(&stand_in->egress);
    for (size_t i = 0; i < stand_in->contract_count; i++)
        contract_free(&stand_in->contracts[i]);
    mem_free(&stand_in->contracts);
    metrics_free(&stand_in->metrics);
    conf_free(&stand_in->conf);
}

static const struct contract *contract_of(const struct stand_in *stand_in, const char *tool)
{
    for (size_t i = 0; i < stand_in->contract_count; i++)
        if (strcmp(stand_in->contracts[i]->tool, tool) == 0)
            return stand_in->contracts[i];
    return NULL;
}

static bool serve(const struct stand_in *stand_in, const struct tool *tool, struct service *service,
                  struct err *err)
{
    const struct contract *contract = contract_of(stand_in, tool->name);
    struct labels labels = { "tool", tool->name };
    if (!contract)
        return err_set(err, ERR_INVALID_VALUE, "%s has no contract", tool->name);
    scoped(mem_free) char *folder = str_format("%s/svc-%s", SOURCE_ROOT, contract->group);
    *service = (struct service){
        .tool = tool,
        .contract = contract,
        .egress = stand_in->egress,
        .run_seconds = metrics_histogram(stand_in->metrics, "run_seconds", "help", labels),
        .done = metrics_counter(stand_in->metrics, "done_total", "help", labels),
        .failed = metrics_counter(stand_in->metrics, "failed_total", "help", labels),
    };
    return !tool->data ||
           data_open_configured(tool->data, stand_in->conf, folder, &service->data, err);
}

static int run_all(const struct row *rows, size_t count)
{
    runner = runner_start(1, 1, 1, 0);
    int failed = run_rows(rows, count, sizeof(*rows), check, NULL, NULL);
    runner_stop(&runner);
    return failed;
}

/* ---- their replacements ---- */

/* malloc reads this variable when the program starts. */
static void without_thread_caches(char **argv)
{
    if (getenv("GLIBC_TUNABLES"))
        return;
    setenv("GLIBC_TUNABLES", "glibc.malloc.tcache_count=0", 1);
    execv("/proc/self/exe", argv);
}

int svc_main_outside(int argc, char **argv, const char *group, const struct tool *tools,
                     size_t count, const struct outside *outside)
{
    struct row *rows = mem_array(count, sizeof(*rows));
    struct stand_in stand_in = { 0 };
    struct err err = { 0 };
    size_t row_count = 0;

    without_thread_caches(argv);
    mallopt(M_ARENA_MAX, 1); /* mallinfo2() counts the main arena only */
    bool ok = open_stand_in(&stand_in, argc > 1 ? argv[1] : NULL, group, outside, &err);
    for (size_t i = 0; i < count && ok; i++) {
        if (argc > 2 && strcmp(argv[2], tools[i].name) != 0)
            continue;
        struct row *row = &rows[row_count++];
        row->name = tools[i].name;
        row->calls = outside ? CALLS_OUTSIDE : CALLS;
        ok = serve(&stand_in, &tools[i], &row->service, &err);
    }
    if (!ok)
        fprintf(stderr, "%s\n", err.message);

    int failed = ok && row_count > 0 ? run_all(rows, row_count) : 1;
    for (size_t i = 0; i < row_count; i++)
        data_close(&rows[i].service.data);
    close_stand_in(&stand_in, outside);
    mem_free(&rows);
    return failed;
}

int svc_main(int argc, char **argv, const char *group, const struct tool *tools, size_t count)
{
    return svc_main_outside(argc, argv, group, tools, count, NULL);
}
