/* gateway/mcp/era.c - modern or legacy, and the headers that a modern message requires. */
#include "gateway/mcp/era.h"

#include <stdio.h>
#include <string.h>

#include "base/codec/base64.h"
#include "base/mem.h"

enum { NAME_MAX_BYTES = 4096 };

/* In order of preference. 2025-03-26 had batches: it is accepted from a client that negotiated it,
 * but not offered. */
static const char *const offered[] = { ERA_LEGACY_VERSION, "2025-06-18" };
static const char *const understood[] = { ERA_LEGACY_VERSION, "2025-06-18", "2025-03-26" };

static bool lists(const char *const *list, size_t count, const char *version)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(list[i], version) == 0)
            return true;
    return false;
}

bool era_is_modern(const struct mcp_message *message, const struct era_headers *headers)
{
    return message->value[META_VERSION].kind != JSON_END ||
           (headers->version && !lists(understood, countof(understood), headers->version));
}

const char *era_legacy_version(const char *asked)
{
    return lists(offered, countof(offered), asked) ? asked : ERA_LEGACY_VERSION;
}

static bool mismatch(struct rpc_fault *fault, const char *why)
{
    return rpc_fault_set(fault, RPC_HEADER_MISMATCH, 400, why);
}

/* Add the supported versions to the fault; repeat the requested one if it looks like a version. */
static bool reject_version(const char *asked, struct rpc_fault *fault)
{
    scoped(buf_free) struct buf text = BUF(sizeof(fault->data) / 2);
    json_print_text(strlen(asked) <= 32 ? text_of(asked) : TEXT("?"), &text);
    snprintf(fault->data, sizeof(fault->data),
             "{\"supported\":[\"" ERA_MODERN_VERSION "\"],\"requested\":%s}", buf_str(&text));
    return rpc_fault_set(fault, RPC_UNSUPPORTED_VERSION, 400,
                         "this protocol version is not supported");
}

static bool check_version(const struct mcp_message *message, const struct era_headers *headers,
                          struct rpc_fault *fault)
{
    const char *version = mcp_message_text(message, META_VERSION);
    if (!version)
        return rpc_fault_set(fault, RPC_INVALID_PARAMS, 400,
                             "_meta must have io.modelcontextprotocol/protocolVersion, a string");
    if (message->value[META_CAPABILITIES].kind != JSON_OBJECT_OPEN)
        return rpc_fault_set(
            fault, RPC_INVALID_PARAMS, 400,
            "_meta must have io.modelcontextprotocol/clientCapabilities, an object");
    if (!headers->version || !mcp_message_is(message, META_VERSION, headers->version))
        return mismatch(fault, "the header MCP-Protocol-Version must be there and say what "
                               "_meta says");
    return strcmp(version, ERA_MODERN_VERSION) == 0 || reject_version(version, fault);
}

/* Decode a header value, which is Base64 if it could not be sent as it is. */
static bool decode_name(const char *value, struct buf *out)
{
    static const char begin[] = "=?base64?";
    static const char end[] = "?=";
    struct text text = text_of(value);
    size_t around = strlen(begin) + strlen(end);
    if (text.size < around || !text_begins(text, begin) ||
        strcmp(value + text.size - strlen(end), end) != 0)
        return buf_add(out, text.bytes, text.size);
    return base64_decode(out, (struct text){ value + strlen(begin), text.size - around });
}

static bool check_name(const struct mcp_message *message, const char *header,
                       struct rpc_fault *fault)
{
    scoped(buf_free) struct buf name = BUF(NAME_MAX_BYTES);
    const struct mcp_value *wanted = &message->value[PARAMS_NAME];
    return (header && decode_name(header, &name) && wanted->kind == JSON_STRING &&
            text_equals(buf_text(&name), wanted->text)) ||
           mismatch(fault, "the header Mcp-Name is required and must equal params.name");
}

bool era_check(const struct mcp_message *message, const struct era_headers *headers,
               struct rpc_fault *fault)
{
    if (!check_version(message, headers, fault))
        return false;
    if (!headers->method || !mcp_message_is(message, MESSAGE_METHOD, headers->method))
        return mismatch(fault, "the header Mcp-Method is required and must equal method");
    return !mcp_message_is(message, MESSAGE_METHOD, "tools/call") ||
           check_name(message, headers->name, fault);
}
