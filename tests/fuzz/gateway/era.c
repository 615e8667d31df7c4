/* tests/fuzz/gateway/era.c - any bytes as the headers and the body of a message: three lines,
 * MCP-Protocol-Version, Mcp-Method and Mcp-Name (empty: absent), then the body. A modern message
 * passes only if its headers say what it says. */
#include "gateway/mcp/era.h"

#include <assert.h>
#include <string.h>

#include "../target.h"
#include "base/codec/base64.h"
#include "base/mem.h"

enum { BODY_MAX_BYTES = 1 << 20 };

/* A line as a header's value: a C string, as civetweb has it. */
static const char *next_value(char **at)
{
    char *value = *at;
    char *end = strchr(value, '\n');
    if (end)
        *end = '\0';
    *at = end ? end + 1 : value + strlen(value);
    return *value ? value : NULL;
}

/* Is it the text itself, or its Base64 between =?base64? and ?=, however that is written? */
static bool names(const char *header, struct text name)
{
    scoped(buf_free) struct buf decoded = BUF(BODY_MAX_BYTES);
    struct text value = text_of(header);
    if (text_equals(value, name))
        return true;
    if (!text_begins(value, "=?base64?") || value.size < strlen("=?base64?") + strlen("?="))
        return false;
    struct text digits = { header + strlen("=?base64?"),
                           value.size - strlen("=?base64?") - strlen("?=") };
    return base64_decode(&decoded, digits) && text_equals(buf_text(&decoded), name);
}

static void check_fault(const struct mcp_message *message, const struct rpc_fault *fault)
{
    scoped(buf_free) struct buf out = BUF(4096);
    struct err err = { 0 };
    assert(fault->code != 0 && fault->status == 400 && fault->message[0]);
    rpc_write_fault(&out, message->id, fault);
    assert(!out.full && json_check(buf_text(&out), MESSAGE_DEPTH, &err));
}

static void check_passed(const struct mcp_message *message, const struct era_headers *headers)
{
    assert(headers->version && strcmp(headers->version, ERA_MODERN_VERSION) == 0);
    assert(mcp_message_is(message, META_VERSION, ERA_MODERN_VERSION));
    assert(headers->method && mcp_message_is(message, MESSAGE_METHOD, headers->method));
    if (mcp_message_is(message, MESSAGE_METHOD, "tools/call"))
        assert(headers->name && names(headers->name, message->value[PARAMS_NAME].text));
}

static void check_message(const struct mcp_message *message, const struct era_headers *headers)
{
    struct rpc_fault fault = { 0 };
    bool is_modern = era_is_modern(message, headers);
    assert(is_modern || message->value[META_VERSION].kind == JSON_END);
    if (!is_modern)
        return;
    if (era_check(message, headers, &fault))
        check_passed(message, headers);
    else
        check_fault(message, &fault);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    scoped(mem_free) char *copy = mem_dup(bytes, size);
    char *at = copy;
    struct mcp_message message = { 0 };
    struct rpc_fault fault = { 0 };
    struct era_headers headers = { .version = next_value(&at) };
    headers.method = next_value(&at);
    headers.name = next_value(&at);
    const char *legacy = era_legacy_version(headers.version ? headers.version : "");
    assert(strcmp(legacy, ERA_LEGACY_VERSION) == 0 || strcmp(legacy, "2025-06-18") == 0);
    struct text body = { at, size - (size_t)(at - copy) };
    if (mcp_message_read(body, &message, &fault))
        check_message(&message, &headers);
    mcp_message_free(&message);
    return 0;
}
