/* tests/fuzz/common/mcp-message.c - any bytes as a message of an agent: every message gets a
 * response, and its arguments are parts of it, unchanged. */
#include <assert.h>
#include <string.h>

#include "../target.h"
#include "base/mem.h"
#include "gateway/mcp/era.h"
#include "gateway/mcp/result.h"

static bool is_inside(struct text whole, struct text part)
{
    return part.size == 0 ||
           (part.bytes >= whole.bytes && part.bytes + part.size <= whole.bytes + whole.size);
}

static void check_json(struct text text)
{
    struct err err = { 0 };
    assert(json_check(text, MESSAGE_DEPTH, &err));
}

/* Every response is JSON, whatever the id is. */
static void check_answer(const struct mcp_message *message, const struct rpc_fault *fault)
{
    scoped(buf_free) struct buf out = BUF(4096);
    rpc_write_fault(&out, message->id, fault);
    assert(!out.full);
    check_json(buf_text(&out));
}

/* A text that contains JSON returns this JSON, byte for byte or as escapes. */
static void check_text(struct text json)
{
    scoped(buf_free) struct buf out = BUF(8 * json.size + 2);
    cJSON *value = NULL;
    struct err err = { 0 };
    result_write_json_text(json, &out);
    assert(!out.full && json_parse(buf_text(&out), 1, &value, &err));
    check_json(json_text_of(value));
    json_free(&value);
}

/* Names with U+0000 are left to the tool, which rejects them. */
static bool is_readable(struct text arguments)
{
    struct err err = { 0 };
    return json_check(arguments, MESSAGE_DEPTH, &err) || !strstr(err.message, "U+0000");
}

static void check_message(struct text body)
{
    struct mcp_message message = { 0 };
    struct rpc_fault fault = { 0 };
    struct era_headers headers = { ERA_MODERN_VERSION, "tools/call", "=?base64?YQ==?=" };
    bool ok = mcp_message_read(body, &message, &fault);
    assert(ok == (fault.code == 0));
    if (ok) {
        struct text arguments = message.value[PARAMS_ARGUMENTS].raw;
        assert(is_inside(body, message.id) && is_inside(body, arguments));
        assert(message.is_notification == (message.id.size == 0));
        if (arguments.size > 0 && is_readable(arguments)) {
            check_json(arguments);
            check_text(arguments);
        }
        if (era_is_modern(&message, &headers) && !era_check(&message, &headers, &fault))
            assert(fault.code != 0);
    }
    check_answer(&message, &fault);
    mcp_message_free(&message);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    scoped(mem_free) char *copy = mem_dup(bytes, size);
    check_message((struct text){ copy, size });
    return 0;
}
