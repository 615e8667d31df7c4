/* svc-utils/json-to-code/tests/answer.h - the result of a request, for the tests. */
#pragma once

#include "tool.h"
#include "tools.h"
/* The result of a request that must succeed. */
static inline cJSON *answer(const char *body)
{
    scoped(json_free) cJSON *result = json_object();
    struct err err = { 0 };
    bool ok = run_tool(json_to_code, "json-to-code", body, result, NULL, &err);
    assert_string_equal(err.message, "");
    assert_true(ok);
    return take(result);
}

static inline cJSON *answer_sample(const char *sample)
{
    scoped(mem_free) char *body = str_format("{'sample':%s}", sample);
    return answer(body);
}
