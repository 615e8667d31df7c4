/* tests/fuzz/svc-chat/chat-tool.h - any bytes as the body of a chat tool: rejected with a 400, or a
 * result that fits the contract and can be printed. */
#pragma once

#include <assert.h>

#include "../target.h"
#include "base/codec/utf8.h"
#include "svc/job.h"
#include "svc/schema.h"
#include "text/json.h"
#include "tools.h"

#define FUZZ_NOW_MS INT64_C(1618953630000) /* one clock for all runs */

static inline void fuzz_run(const struct contract *contract, tool_run *run, const cJSON *args,
                            struct text body)
{
    scoped(json_free) cJSON *result = json_object();
    scoped(buf_free) struct buf text = BUF(contract->max_reply_bytes);
    struct job job = { .contract = contract, .args = args, .body = body, .now_ms = FUZZ_NOW_MS };
    struct errs errs = { 0 };
    struct err err = { 0 };

    if (!run(&job, result, &err)) {
        assert(err_status(err.kind) == 400 && utf8_is_valid(text_of(err.message)));
        return;
    }
    assert(schema_check(contract->result, "result", result, &errs));
    assert(json_print(result, &text) && json_check(buf_text(&text), JSON_DEPTH, NULL));
}

/* The contract is loaded by the first call. */
static inline int fuzz_tool(const char *path, tool_run *run, const uint8_t *bytes, size_t size)
{
    static struct contract *contract;
    struct text body = { (const char *)bytes, size };
    scoped(json_free) cJSON *args = NULL;
    struct errs errs = { 0 };

    if (!contract) {
        bool ok = contract_load(path, &contract, NULL);
        assert(ok);
    }
    if (contract_check(contract, body, &args, NULL, &errs))
        fuzz_run(contract, run, args, body);
    return 0;
}

/* The whole of a target. */
#define FUZZ_CHAT_TOOL(tool, run)                                                             \
    int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)                             \
    {                                                                                         \
        return fuzz_tool(SOURCE_ROOT "/svc-chat/" tool "/" tool ".yaml", (run), bytes, size); \
    }
