/*
 * tests/unit/tool.h - run a tool in a unit test as the skeleton runs it: scanner, contract,
 * defaults.
 *
 *     bool ok = run_tool(hash_generate, "hash-generate", "{'input':'abc'}", result, NULL, &err);
 *
 * Contracts come from the source tree, SOURCE_ROOT of tests/unit/meson.build.
 */
#pragma once

#include <glob.h>
#include <string.h>

#include "base/os/clock.h"
#include "rows.h"
#include "svc/args.h"
#include "svc/job.h"
#include "svc/schema.h"
#include "text/json.h"

/* A job and all that it borrows. */
struct tool_job {
    struct job job; /* first: tests hold its address */
    struct contract *contract;
    struct answer answer;
    struct buf body;
    cJSON *args;
};

/* Append text with its 'single quotes' turned into JSON's double ones. */
static inline void add_quoted(struct buf *out, const char *text)
{
    for (; text && *text; text++)
        buf_add_byte(out, *text == '\'' ? '"' : *text);
}

static inline struct contract *contract_of(const char *tool)
{
    scoped(mem_free) char *pattern = str_format("%s/svc-*/%s/%s.yaml", SOURCE_ROOT, tool, tool);
    scoped(globfree) glob_t files = { 0 };
    struct contract *contract = NULL;
    struct err err = { 0 };

    assert_int_equal(glob(pattern, 0, NULL, &files), 0);
    bool ok = contract_load(files.gl_pathv[0], &contract, &err);
    assert_string_equal(err.message, "");
    assert_true(ok);
    return contract;
}

static inline void job_free(struct job **job)
{
    struct tool_job *whole = (struct tool_job *)*job;
    if (!whole)
        return;
    contract_free(&whole->contract);
    answer_free(&whole->answer);
    buf_free(&whole->body);
    json_free(&whole->args);
    mem_free(job);
}

static inline bool fill_job(struct tool_job *whole, const char *request, struct errs *errs)
{
    struct err err;
    if (!whole->contract->is_get)
        add_quoted(&whole->body, request);
    else if (!contract_query(whole->contract, text_of(request), &whole->body, NULL, &err))
        return errs_add_err(errs, &err);
    return contract_check(whole->contract, buf_text(&whole->body), &whole->args, NULL, errs);
}

/* The job for a request: a body in which 'single quotes' are double ones, or the query of a GET
 * tool. NULL if the contract rejects it. */
static inline struct job *job_try(const char *tool, const char *request, struct errs *errs)
{
    struct tool_job *whole = mem_new(sizeof(*whole));
    scoped(job_free) struct job *job = &whole->job;

    whole->contract = contract_of(tool);
    whole->body = (struct buf)BUF(1 << 20);
    if (!fill_job(whole, request, errs))
        return NULL;
    *job = (struct job){
        .contract = whole->contract,
        .request_id = "unit-test",
        .args = whole->args,
        .body = buf_text(&whole->body),
        .deadline_ms = clock_ms() + whole->contract->budget_ms,
        .now_ms = clock_wall_ms(),
        .answer = &whole->answer,
    };
    return take(job);
}

/* The same for a request that the contract must accept. */
static inline struct job *job_of(const char *tool, const char *request)
{
    struct errs errs = { 0 };
    struct job *job = job_try(tool, request, &errs);
    assert_string_equal(errs.item[0].message, "");
    assert_non_null(job);
    return job;
}

/* Whether the result fits the contract's schema. A raw result has none. */
static inline void assert_fits(const struct job *job, const cJSON *result)
{
    struct errs errs = { 0 };
    if (job->answer->content_type)
        return;
    assert_non_null(job->contract->result);
    if (!schema_check(job->contract->result, "result", result, &errs))
        fail_msg("%s", errs.item[0].message);
}

/* Whether this tool may return this error. If not, the contract's errors: lack it, and so do the
 * tool's page and the OpenAPI document. */
static inline void assert_listed(const struct contract *contract, const struct err *err)
{
    const cJSON *code;
    if (err_is_platform(err->kind))
        return;
    cJSON_ArrayForEach(code, json_get(contract->document, "errors"))
        if (err_of_code(json_text_of(code).bytes) == err->kind)
            return;
    fail_msg("%s does not list %s", contract->tool, err_code(err->kind));
}

/* Make the result own all it borrows from its job. */
static inline void make_own(cJSON *result)
{
    scoped(json_free) cJSON *copy = json_copy(result);
    cJSON borrows = *result;
    *result = *copy;
    *copy = borrows;
}

/* The result that the tool has printed itself, instead of the one it was given. */
static inline void read_printed(const struct job *job, cJSON *result)
{
    cJSON *printed = NULL;
    struct err err = { 0 };
    bool ok = json_parse(buf_text(&job->answer->body), JSON_DEPTH, &printed, &err);
    assert_string_equal(err.message, "");
    assert_true(ok);
    cJSON empty = *result;
    *result = *printed;
    *printed = empty;
    json_free(&printed);
}

/*
 * Contract and tool together, the whole path of a request: true on success; otherwise err is the
 * caller's first error, from the contract or the tool. A raw result goes to *answer, which the
 * caller frees; NULL for tools that have none. A result that does not fit the contract fails the
 * test, and so does an error that it does not list. Data is what the tool would read from files,
 * see svc/data.h.
 */
static inline bool run_tool_with(const void *data, tool_run *run, const char *tool,
                                 const char *request, cJSON *result, struct answer *answer,
                                 struct err *err)
{
    struct errs errs = { 0 };
    scoped(job_free) struct job *job = job_try(tool, request, &errs);
    if (!job) {
        *err = errs.item[0];
        return false;
    }
    job->data = data;
    if (!run(job, result, err)) {
        assert_listed(job->contract, err);
        return false;
    }
    assert_true(result || !job->answer->has_result);
    if (result && job->answer->has_result)
        read_printed(job, result);
    assert_fits(job, result);
    if (result)
        make_own(result);
    if (answer) {
        *answer = *job->answer;
        *job->answer = (struct answer){ 0 };
    }
    return true;
}

/* The same for a tool that reads no file. */
static inline bool run_tool(tool_run *run, const char *tool, const char *request, cJSON *result,
                            struct answer *answer, struct err *err)
{
    return run_tool_with(NULL, run, tool, request, result, answer, err);
}
