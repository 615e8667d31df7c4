/* gateway/mcp/message.c - reads the members that matter of one JSON-RPC message. */
#include "gateway/mcp/message.h"

#include <string.h>

#include "base/mem.h"
#include "base/num.h"

#define AT_TOP MESSAGE_MEMBERS

#define MCP    "io.modelcontextprotocol/"

/* clang-format off */
static const struct member {
    enum mcp_member in; /* AT_TOP: the message itself */
    const char *name;
} members[MESSAGE_MEMBERS] = {
    [MESSAGE_JSONRPC]   = { AT_TOP,         "jsonrpc" },
    [MESSAGE_ID]        = { AT_TOP,         "id" },
    [MESSAGE_METHOD]    = { AT_TOP,         "method" },
    [MESSAGE_PARAMS]    = { AT_TOP,         "params" },
    [PARAMS_NAME]       = { MESSAGE_PARAMS, "name" },
    [PARAMS_ARGUMENTS]  = { MESSAGE_PARAMS, "arguments" },
    [PARAMS_CURSOR]     = { MESSAGE_PARAMS, "cursor" },
    [PARAMS_VERSION]    = { MESSAGE_PARAMS, "protocolVersion" },
    [PARAMS_CLIENT]     = { MESSAGE_PARAMS, "clientInfo" },
    [CLIENT_NAME]       = { PARAMS_CLIENT,  "name" },
    [PARAMS_META]       = { MESSAGE_PARAMS, "_meta" },
    [META_VERSION]      = { PARAMS_META,    MCP "protocolVersion" },
    [META_CAPABILITIES] = { PARAMS_META,    MCP "clientCapabilities" },
    [META_CLIENT]       = { PARAMS_META,    MCP "clientInfo" },
    [META_CLIENT_NAME]  = { META_CLIENT,    "name" },
    [META_KEY]          = { PARAMS_META,    "tollgate/idempotency-key" },
    [META_TRACE]        = { PARAMS_META,    "traceparent" },
    [META_PROGRESS]     = { PARAMS_META,    "progressToken" },
};
/* clang-format on */

/* One pass over a body. */
struct scan {
    struct json_reader *reader;
    struct text body;
    struct mcp_message *message;
    struct err *err;
};

static bool is_open(enum json_kind kind)
{
    return kind == JSON_OBJECT_OPEN || kind == JSON_ARRAY_OPEN;
}

/* A string with its quotes; the reader has validated it. */
static struct text string_at(struct text body, size_t offset)
{
    size_t end = offset + 1;
    while (body.bytes[end] != '"')
        end += body.bytes[end] == '\\' ? 2 : 1;
    return (struct text){ body.bytes + offset, end + 1 - offset };
}

static enum mcp_member find_member(enum mcp_member in, struct text name)
{
    for (enum mcp_member i = 0; i < MESSAGE_MEMBERS; i++)
        if (members[i].in == in && text_is(name, members[i].name))
            return i;
    return MESSAGE_MEMBERS;
}

/* Skip to the end of the container just opened; *end is after it. */
static bool skip_container(struct scan *scan, unsigned depth, size_t *end)
{
    struct json_event event;
    do {
        if (!json_next(scan->reader, &event, scan->err))
            return false;
    } while (event.depth > depth ||
             (event.kind != JSON_OBJECT_CLOSE && event.kind != JSON_ARRAY_CLOSE));
    *end = event.offset + 1;
    return true;
}

static bool read_object(struct scan *scan, enum mcp_member in, unsigned depth, size_t *end);

/* Read the value of a member; MESSAGE_MEMBERS: skip it. */
static bool read_value(struct scan *scan, enum mcp_member member)
{
    struct json_event event;
    struct mcp_value ignored;
    if (!json_next(scan->reader, &event, scan->err))
        return false;
    struct mcp_value *value = member < MESSAGE_MEMBERS ? &scan->message->value[member] : &ignored;
    *value = (struct mcp_value){ .kind = event.kind };
    if (is_open(event.kind)) {
        size_t end = 0;
        bool has_members = event.kind == JSON_OBJECT_OPEN && member < MESSAGE_MEMBERS;
        if (has_members ? !read_object(scan, member, event.depth, &end)
                        : !skip_container(scan, event.depth, &end))
            return false;
        value->raw = (struct text){ scan->body.bytes + event.offset, end - event.offset };
    } else if (event.kind == JSON_NUMBER) {
        value->raw = event.lexeme;
    } else if (event.kind == JSON_STRING && member < MESSAGE_MEMBERS) {
        value->raw = string_at(scan->body, event.offset);
        value->text =
            (struct text){ arena_copy(&scan->message->arena, event.text), event.text.size };
    }
    return true;
}

/* Read the members of the object just opened at depth; at most four levels, by the table. */
static bool read_object(struct scan *scan, enum mcp_member in, unsigned depth, size_t *end)
{
    struct json_event event;
    for (;;) {
        if (!json_next(scan->reader, &event, scan->err))
            return false;
        if (event.kind == JSON_OBJECT_CLOSE && event.depth == depth)
            break;
        if (!read_value(scan, find_member(in, event.text)))
            return false;
    }
    *end = event.offset + 1;
    return true;
}

/* Read the body: one object and nothing after it. *is_object: it is an object. */
static bool read_body(struct scan *scan, bool *is_object)
{
    struct json_event event;
    size_t end;
    if (!json_next(scan->reader, &event, scan->err))
        return false;
    *is_object = event.kind == JSON_OBJECT_OPEN;
    if (*is_object && !read_object(scan, AT_TOP, 0, &end))
        return false;
    do {
        if (!json_next(scan->reader, &event, scan->err))
            return false;
    } while (event.kind != JSON_END);
    return true;
}

/* ---- validation ---- */

/* An integer of plain digits, at most 2^53: doubles are exact up to that. */
static bool is_plain_integer(struct text digits)
{
    int64_t value;
    text_take_byte(&digits, "-");
    return num_parse(digits, JSON_INTEGER_MAX - 1, &value);
}

static bool is_id(const struct mcp_value *value)
{
    return (value->kind == JSON_STRING && value->raw.size <= MESSAGE_ID_BYTES + 2) ||
           (value->kind == JSON_NUMBER && is_plain_integer(value->raw));
}

static bool read_id(struct mcp_message *message)
{
    const struct mcp_value *id = &message->value[MESSAGE_ID];
    if (!is_id(id))
        return false;
    message->id = id->raw;
    return true;
}

static bool reject_message(struct rpc_fault *fault, const char *why)
{
    return rpc_fault_set(fault, RPC_INVALID_REQUEST, 400, why);
}

static bool check(struct mcp_message *message, struct rpc_fault *fault)
{
    const struct mcp_value *value = message->value;
    bool has_id = value[MESSAGE_ID].kind != JSON_END;
    if (has_id && !read_id(message))
        return reject_message(fault,
                              "id must be a string of at most 128 bytes, or an integer within "
                              "+-(2^53 - 1) in plain digits");
    if (!mcp_message_is(message, MESSAGE_JSONRPC, "2.0"))
        return reject_message(fault, "jsonrpc must be \"2.0\"");
    if (value[MESSAGE_METHOD].kind != JSON_STRING)
        return reject_message(fault, "method must be a string; responses are not accepted");
    if (value[MESSAGE_PARAMS].kind != JSON_END && value[MESSAGE_PARAMS].kind != JSON_OBJECT_OPEN)
        return reject_message(fault, "params must be an object");
    message->is_notification = !has_id;
    if (is_id(&value[META_PROGRESS]))
        message->progress_token = value[META_PROGRESS].raw;
    if (!has_id && !text_begins(value[MESSAGE_METHOD].text, "notifications/"))
        return reject_message(fault, "a request needs an id");
    return true;
}

bool mcp_message_read(struct text body, struct mcp_message *message, struct rpc_fault *fault)
{
    struct err err = { 0 };
    bool is_object = false;
    struct scan scan = { json_reader_new(body, MESSAGE_DEPTH), body, message, &err };
    for (size_t i = 0; i < MESSAGE_MEMBERS; i++)
        message->value[i].kind = JSON_END;
    bool ok = read_body(&scan, &is_object);
    json_reader_free(&scan.reader);
    if (!ok)
        return rpc_fault_set(fault, RPC_PARSE, 400, err.message);
    if (!is_object)
        return reject_message(fault, "the body must be one object; batches are not supported");
    return check(message, fault);
}

void mcp_message_free(struct mcp_message *message)
{
    arena_free(&message->arena);
}

/* ---- access ---- */

bool mcp_message_is(const struct mcp_message *message, enum mcp_member member, const char *text)
{
    const struct mcp_value *value = &message->value[member];
    return value->kind == JSON_STRING && text_is(value->text, text);
}

const char *mcp_message_text(const struct mcp_message *message, enum mcp_member member)
{
    const struct mcp_value *value = &message->value[member];
    return value->kind == JSON_STRING ? value->text.bytes : NULL;
}
