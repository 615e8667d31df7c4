/*
 * tests/bench/libraries/run-tool.c - run a tool of one group as its worker does: parse the request,
 * check it, run the tool, print the result. For `make bench-tools`; batches.h has the protocol.
 * Tools that connect to others cannot run here.
 */
#include "base/os/clock.h"
#include "base/scoped.h"
#include "batches.h"
#include "svc/args.h"
#include "svc/contract.h"
#include "text/json.h"
#include "tools.h"

static const struct tool tools[] = { TOOL_ROWS };

struct bench {
    const struct tool *tool;
    struct contract *contract;
    struct data *data;
    struct data_version *version;
};

static void run(void *context, struct text request, struct buf *out)
{
    const struct bench *bench = context;
    scoped(json_free) cJSON *args = NULL;
    scoped(json_free) cJSON *result = json_object();
    scoped(answer_free) struct answer answer = { 0 };
    struct errs errs = { 0 };
    struct err err = { 0 };

    if (!contract_check(bench->contract, request, &args, NULL, &errs))
        give_up(bench->tool->name, errs.item[0].message);
    const struct job job = { .contract = bench->contract,
                             .request_id = "bench",
                             .args = args,
                             .body = request,
                             .data = data_content(bench->version),
                             .deadline_ms = clock_ms() + bench->contract->budget_ms,
                             .now_ms = clock_wall_ms(),
                             .answer = &answer };
    if (!bench->tool->run(&job, result, &err))
        give_up(bench->tool->name, err.message);
    if (answer.content_type || answer.has_result)
        buf_add(out, answer.body.bytes, answer.body.size);
    else
        json_print(result, out);
}

static void prepare(const char *root, const char *name, const struct conf *conf,
                    struct bench *bench)
{
    struct err err = { 0 };
    for (size_t i = 0; i < countof(tools); i++)
        if (strcmp(tools[i].name, name) == 0)
            bench->tool = &tools[i];
    if (!bench->tool)
        give_up(name, "this group does not have it");
    scoped(mem_free) char *folder = str_format("%s/svc-%s", root, GROUP);
    scoped(mem_free) char *path = str_format("%s/%s/%s.yaml", folder, name, name);
    if (!contract_load(path, &bench->contract, &err))
        give_up(path, err.message);
    if (bench->tool->data &&
        !data_open_configured(bench->tool->data, conf, folder, &bench->data, &err))
        give_up(name, err.message);
    bench->version = data_hold(bench->data);
}

int main(int argc, char **argv)
{
    scoped(conf_free) struct conf *conf = NULL;
    struct bench bench = { 0 };
    struct err err = { 0 };
    if (argc < 3 || !conf_load(NULL, &conf, &err))
        give_up("usage: bench-GROUP SOURCES TOOL [--show]", err.message);
    prepare(argv[1], argv[2], conf, &bench);
    answer_batches(run, &bench, argc > 3);
    data_drop(&bench.version);
    data_close(&bench.data);
    contract_free(&bench.contract);
    return EXIT_SUCCESS;
}
