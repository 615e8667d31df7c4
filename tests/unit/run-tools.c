/*
 * tests/unit/run-tools.c - for tests of many requests: runs the tools of a group on lines of
 * standard input.
 *
 *     run-tools-GROUP < REQUESTS
 *
 * A request is a line: the name of the tool, a space, and its body, or its query for a GET tool.
 * The response is a line of JSON: `ok`, the time of the CPU in microseconds, and `result`, or
 * `code` and `message`. A raw response has only its size, in `bytes`. Linked with a group's main.c
 * it replaces the skeleton, as growth.c does.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/mem.h"
#include "base/os/clock.h"
#include "svc/contract.h"
#include "svc/job.h"
#include "svc/svc.h"
#include "text/conf.h"
#include "text/json.h"

enum { BODY_MAX_BYTES = 1 << 20, RESPONSE_MAX_BYTES = 64 << 20, TIME_MS = 60000 };

struct service {
    const struct tool *tool;
    struct contract *contract;
    struct data *data;
};

static bool open_service(struct service *service, const struct tool *tool, const char *group,
                         const struct conf *conf, struct err *err)
{
    scoped(mem_free) char *folder = str_format("%s/svc-%s", SOURCE_ROOT, group);
    scoped(mem_free) char *path = str_format("%s/%s/%s.yaml", folder, tool->name, tool->name);
    service->tool = tool;
    return contract_load(path, &service->contract, err) &&
           (!tool->data || data_open_configured(tool->data, conf, folder, &service->data, err));
}

static bool answer(const struct service *service, struct text input, struct answer *answer,
                   cJSON *result, struct errs *errs)
{
    scoped(buf_free) struct buf body = BUF(BODY_MAX_BYTES);
    scoped(json_free) cJSON *args = NULL;
    struct err err = { 0 };

    if (service->contract->is_get && !contract_query(service->contract, input, &body, NULL, &err))
        return errs_add_err(errs, &err);
    struct text json = service->contract->is_get ? buf_text(&body) : input;
    if (!contract_check(service->contract, json, &args, NULL, errs))
        return false;
    struct data_version *data = data_hold(service->data);
    struct job job = { .contract = service->contract,
                       .args = args,
                       .body = json,
                       .data = data_content(data),
                       .deadline_ms = clock_ms() + TIME_MS,
                       .now_ms = clock_wall_ms(),
                       .answer = answer };
    bool ok = service->tool->run(&job, result, &err) || errs_add_err(errs, &err);
    data_drop(&data);
    return ok;
}

static int64_t cpu_us(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

static void answer_line(const struct service *service, struct text input)
{
    scoped(answer_free) struct answer raw = { 0 };
    scoped(json_free) cJSON *line = json_object();
    scoped(json_free) cJSON *result = json_object();
    scoped(buf_free) struct buf out = BUF(RESPONSE_MAX_BYTES);
    struct errs errs = { 0 };

    int64_t start_us = cpu_us();
    bool ok = answer(service, input, &raw, result, &errs);
    json_int(line, "cpu_us", cpu_us() - start_us);
    json_bool(line, "ok", ok);
    if (!ok) {
        json_str(line, "code", err_code(errs.item[0].kind));
        json_str(line, "message", errs.item[0].message);
    } else if (raw.body.size > 0) {
        json_int(line, "bytes", (int64_t)raw.body.size);
    } else {
        json_add(line, "result", take(result));
    }
    json_print(line, &out);
    puts(buf_str(&out));
}

static const struct service *find_service(const struct service *services, size_t count,
                                          struct text name)
{
    for (size_t i = 0; i < count; i++)
        if (text_is(name, services[i].tool->name))
            return &services[i];
    return NULL;
}

static bool answer_all(const struct service *services, size_t count)
{
    char *line = NULL;
    size_t room = 0;
    ssize_t size;
    bool ok = true;
    while (ok && (size = getline(&line, &room, stdin)) > 0) {
        struct text rest = { line, (size_t)size - (line[size - 1] == '\n') };
        const struct service *service = find_service(services, count, text_cut(&rest, ' '));
        ok = service != NULL;
        if (ok)
            answer_line(service, rest);
    }
    free(line);
    return ok;
}

int svc_main(int argc, char **argv, const char *group, const struct tool *tools, size_t count)
{
    struct service *services = mem_array(count, sizeof(*services));
    struct conf *conf = NULL;
    struct err err = { 0 };
    (void)argc;
    (void)argv;

    bool ok = conf_load(NULL, &conf, &err);
    for (size_t i = 0; i < count && ok; i++)
        ok = open_service(&services[i], &tools[i], group, conf, &err);
    if (!ok)
        fprintf(stderr, "%s\n", err.message);
    ok = ok && answer_all(services, count);
    for (size_t i = 0; i < count; i++) {
        data_close(&services[i].data);
        contract_free(&services[i].contract);
    }
    mem_free(&services);
    conf_free(&conf);
    return ok ? EXIT_SUCCESS : EXIT_FAILURE;
}
