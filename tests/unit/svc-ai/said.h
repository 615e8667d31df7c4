/*
 * tests/unit/svc-ai/said.h - rows of a model's answers, and a tool's results.
 */
#pragma once

#include "svc-ai/model-says.h"
#include "tools.h"

struct said {
    const char *name;
    const char *request;
    const char *says;    /* each time; NULL: the model must not be called */
    const char *pointer; /* of the result; NULL: rejected */
    const char *want;    /* its JSON, NULL: it is not there; or the code */
};

/* Run a row, and compare. */
static inline void check_said(const struct said *row, tool_run *run, const char *tool)
{
    scoped(json_free) cJSON *result = json_object();
    scoped(buf_free) struct buf want = BUF(1 << 16);
    scoped(buf_free) struct buf found = BUF(1 << 20);
    struct err err = { 0 };

    model_says = row->says;
    model_calls = 0;
    model_fails = row->says ? ERR_NONE : ERR_INTERNAL;
    bool ok = run_tool(run, tool, row->request, result, NULL, &err);
    if (!ok) {
        assert_null(row->pointer);
        assert_string_equal(err_code(err.kind), row->want);
        return;
    }
    assert_non_null(row->pointer);
    const cJSON *node = json_at(result, row->pointer);
    assert_int_equal(node != NULL, row->want != NULL);
    if (!node)
        return;
    add_quoted(&want, row->want);
    json_print(node, &found);
    assert_string_equal(buf_str(&found), buf_str(&want));
}

/* What the tests of a file leave behind. */
static inline void forget_models(void)
{
    buf_free(&model_was_asked);
    prompts_free(all_prompts());
}
