/* tests/unit/gateway/mcp/message.c - messages: read, rejected, and their members. */
#include "gateway/mcp/message.h"

#include <string.h>

#include "rows.h"

#define BEGIN "{\"jsonrpc\":\"2.0\","
#define META  "\"params\":{\"_meta\":{"

static const struct row {
    const char *name;
    const char *body;
    int code;       /* of the error; 0: read */
    const char *id; /* the lexeme; "" if there is none */
    enum mcp_member member;
    const char *raw;  /* NULL: the member is not checked */
    const char *text; /* NULL: it is not a text */
} rows[] = {
    { "a request", BEGIN "\"id\":7,\"method\":\"ping\"}", 0, "7", MESSAGE_METHOD, "\"ping\"",
      "ping" },
    { "blanks everywhere", " { \"jsonrpc\" : \"2.0\" , \"id\" : 7 , \"method\" : \"ping\" } ", 0,
      "7", MESSAGE_METHOD, "\"ping\"", "ping" },
    { "an id as it is written", BEGIN "\"id\":\"a\\u0041\\\"\\\\\",\"method\":\"x\"}", 0,
      "\"a\\u0041\\\"\\\\\"", MESSAGE_ID, "\"a\\u0041\\\"\\\\\"", "aA\"\\" },
    { "arguments as they stand",
      BEGIN
      "\"id\":1,\"method\":\"tools/call\",\"params\":{\"arguments\": {\"a\" : 1.10, \"b\":[{}]} "
      ",\"name\":\"t\"}}",
      0, "1", PARAMS_ARGUMENTS, "{\"a\" : 1.10, \"b\":[{}]}", NULL },
    { "a name behind them",
      BEGIN "\"id\":1,\"method\":\"tools/call\",\"params\":{\"arguments\":{\"name\":\"no\"},"
            "\"name\":\"t\"}}",
      0, "1", PARAMS_NAME, "\"t\"", "t" },
    { "no arguments", BEGIN "\"id\":1,\"method\":\"m\"}", 0, "1", PARAMS_ARGUMENTS, "", NULL },
    { "invalid arguments", BEGIN "\"id\":1,\"method\":\"m\",\"params\":{\"arguments\":[1]}}", 0,
      "1", PARAMS_ARGUMENTS, "[1]", NULL },
    { "a version",
      BEGIN "\"id\":1,\"method\":\"m\"," META
            "\"io.modelcontextprotocol/protocolVersion\":\"v\"}}}",
      0, "1", META_VERSION, "\"v\"", "v" },
    { "a key", BEGIN "\"id\":1,\"method\":\"m\"," META "\"tollgate/idempotency-key\":\"k\"}}}", 0,
      "1", META_KEY, "\"k\"", "k" },
    { "a client's name in _meta",
      BEGIN "\"id\":1,\"method\":\"m\"," META
            "\"io.modelcontextprotocol/clientInfo\":{\"version\":\"1\",\"name\":\"c\"}}}}",
      0, "1", META_CLIENT_NAME, "\"c\"", "c" },
    { "the same names elsewhere mean nothing",
      BEGIN "\"id\":1,\"method\":\"m\",\"name\":\"x\",\"x\":{\"name\":\"y\"}}", 0, "1", PARAMS_NAME,
      "", NULL },
    { "a progress token", BEGIN "\"id\":1,\"method\":\"m\"," META "\"progressToken\":0}}}", 0, "1",
      META_PROGRESS, "0", NULL },
    { "a notification", BEGIN "\"method\":\"notifications/x\"}", 0, "" },
    { "cut off", BEGIN "\"id\":7,\"method\":\"ping\"", RPC_PARSE, "" },
    { "nothing", "", RPC_PARSE, "" },
    { "something behind it", BEGIN "\"id\":7,\"method\":\"ping\"}}", RPC_PARSE, "" },
    { "a name twice", BEGIN "\"id\":7,\"id\":7,\"method\":\"ping\"}", RPC_PARSE, "" },
    { "a batch", "[" BEGIN "\"id\":7,\"method\":\"ping\"}]", RPC_INVALID_REQUEST, "" },
    { "an empty batch", "[]", RPC_INVALID_REQUEST, "" },
    { "a number", "5", RPC_INVALID_REQUEST, "" },
    { "another jsonrpc", "{\"jsonrpc\":\"2\",\"id\":7,\"method\":\"m\"}", RPC_INVALID_REQUEST,
      "7" },
    { "no method", BEGIN "\"id\":7}", RPC_INVALID_REQUEST, "7" },
    { "params null", BEGIN "\"id\":7,\"method\":\"m\",\"params\":null}", RPC_INVALID_REQUEST, "7" },
    { "a request without id", BEGIN "\"method\":\"tools/call\"}", RPC_INVALID_REQUEST, "" },
    { "id null", BEGIN "\"id\":null,\"method\":\"m\"}", RPC_INVALID_REQUEST, "" },
    { "id 1.0", BEGIN "\"id\":1.0,\"method\":\"m\"}", RPC_INVALID_REQUEST, "" },
    { "id -0", BEGIN "\"id\":-0,\"method\":\"m\"}", 0, "-0" },
    { "id 2^53 - 1", BEGIN "\"id\":9007199254740991,\"method\":\"m\"}", 0, "9007199254740991" },
    { "id 2^53", BEGIN "\"id\":9007199254740992,\"method\":\"m\"}", RPC_INVALID_REQUEST, "" },
    { "id of many digits", BEGIN "\"id\":99999999999999999999999,\"method\":\"m\"}",
      RPC_INVALID_REQUEST, "" },
    { "id {}", BEGIN "\"id\":{},\"method\":\"m\"}", RPC_INVALID_REQUEST, "" },
};

static void check(void **state)
{
    const struct row *row = *state;
    struct mcp_message message = { 0 };
    struct rpc_fault fault = { 0 };
    bool ok = mcp_message_read(text_of(row->body), &message, &fault);
    assert_int_equal(fault.code, row->code);
    assert_int_equal(ok, row->code == 0);
    assert_true(text_is(message.id, row->id));
    if (row->raw) {
        assert_true(text_is(message.value[row->member].raw, row->raw));
        const char *text = mcp_message_text(&message, row->member);
        assert_int_equal(text != NULL, row->text != NULL);
        if (text)
            assert_string_equal(text, row->text);
    }
    mcp_message_free(&message);
}

/* The message may be two levels deeper than a tool's arguments. */
static void arguments_are_as_deep_as_over_rest(void **state)
{
    (void)state;
    for (int depth = JSON_DEPTH; depth <= JSON_DEPTH + 1; depth++) {
        scoped(buf_free) struct buf body = BUF(1000);
        struct mcp_message message = { 0 };
        struct rpc_fault fault = { 0 };
        buf_add_str(&body, BEGIN "\"id\":1,\"method\":\"m\",\"params\":{\"arguments\":");
        for (int i = 0; i < depth; i++)
            buf_add_str(&body, i == 0 ? "{\"a\":" : "[");
        buf_add_byte(&body, '1');
        for (int i = depth; i > 0; i--)
            buf_add_byte(&body, i == 1 ? '}' : ']');
        buf_add_str(&body, "}}");
        assert_int_equal(mcp_message_read(buf_text(&body), &message, &fault), depth == JSON_DEPTH);
        assert_int_equal(fault.code, depth == JSON_DEPTH ? 0 : RPC_PARSE);
        mcp_message_free(&message);
    }
}

/* It obeys the rule of the id, and otherwise counts as absent. */
static const struct progress_row {
    const char *name;
    const char *token;
    bool is_valid;
} tokens[] = {
    { "a progress token of digits", "7", true },
    { "a progress token that is a text", "\"a\\\"b\"", true },
    { "a fraction", "1.5", false },
    { "null", "null", false },
    { "an object", "{}", false },
    { "beyond 2^53", "9007199254740992", false },
};

static void check_token(void **state)
{
    const struct progress_row *row = *state;
    scoped(mem_free) char *body =
        str_format(BEGIN "\"id\":1,\"method\":\"m\"," META "\"progressToken\":%s}}}", row->token);
    struct mcp_message message = { 0 };
    struct rpc_fault fault = { 0 };
    assert_true(mcp_message_read(text_of(body), &message, &fault));
    assert_int_equal(message.progress_token.size, row->is_valid ? strlen(row->token) : 0);
    mcp_message_free(&message);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(arguments_are_as_deep_as_over_rest) };
    return cmocka_run_group_tests(tests, NULL, NULL) + RUN_ROWS(rows, check) +
           RUN_ROWS(tokens, check_token);
}
