/* tests/unit/gateway/mcp/era.c - modern or legacy, and modern headers that disagree with the
 * message. */
#include "gateway/mcp/era.h"

#include <string.h>

#include "rows.h"

#define IO      "\"io.modelcontextprotocol/"
#define VERSION IO "protocolVersion\":\"2026-07-28\""
#define BOTH    VERSION "," IO "clientCapabilities\":{}"
#define NEW     "2026-07-28"
#define OLD     "2025-11-25"
#define PLAIN   "tools/list"
#define CALL    "tools/call"

static const struct row {
    const char *name;
    const char *method;
    const char *tool; /* params.name */
    const char *meta; /* members of _meta; NULL: there is none */
    struct era_headers headers;
    bool is_modern;
    int code; /* 0: valid; legacy messages have no requirement */
} rows[] = {
    { "nothing said", PLAIN, NULL, NULL, { NULL, NULL, NULL }, false },
    { "the newest before", PLAIN, NULL, NULL, { OLD, NULL, NULL }, false },
    { "the one with batches", PLAIN, NULL, NULL, { "2025-03-26", NULL, NULL }, false },
    { "modern", PLAIN, NULL, BOTH, { NEW, PLAIN, NULL }, true, 0 },
    { "by its head alone", PLAIN, NULL, NULL, { NEW, PLAIN, NULL }, true, RPC_INVALID_PARAMS },
    { "an unknown head", PLAIN, NULL, NULL, { "x", PLAIN, NULL }, true, RPC_INVALID_PARAMS },
    { "no capabilities", PLAIN, NULL, VERSION, { NEW, PLAIN, NULL }, true, RPC_INVALID_PARAMS },
    { "capabilities a list",
      PLAIN,
      NULL,
      VERSION "," IO "clientCapabilities\":[]",
      { NEW, PLAIN, NULL },
      true,
      RPC_INVALID_PARAMS },
    { "the version a number",
      PLAIN,
      NULL,
      IO "protocolVersion\":1," IO "clientCapabilities\":{}",
      { NEW, PLAIN, NULL },
      true,
      RPC_INVALID_PARAMS },
    { "no version in the head",
      PLAIN,
      NULL,
      BOTH,
      { NULL, PLAIN, NULL },
      true,
      RPC_HEADER_MISMATCH },
    { "another in the head", PLAIN, NULL, BOTH, { OLD, PLAIN, NULL }, true, RPC_HEADER_MISMATCH },
    { "a version of tomorrow",
      PLAIN,
      NULL,
      IO "protocolVersion\":\"2030-01-01\"," IO "clientCapabilities\":{}",
      { "2030-01-01", PLAIN, NULL },
      true,
      RPC_UNSUPPORTED_VERSION },
    { "no method in the head", PLAIN, NULL, BOTH, { NEW, NULL, NULL }, true, RPC_HEADER_MISMATCH },
    { "another method", PLAIN, NULL, BOTH, { NEW, CALL, NULL }, true, RPC_HEADER_MISMATCH },
    { "a call", CALL, "\"a\"", BOTH, { NEW, CALL, "a" }, true, 0 },
    { "a call in Base64", CALL, "\"a\"", BOTH, { NEW, CALL, "=?base64?YQ==?=" }, true, 0 },
    { "a call without its name",
      CALL,
      "\"a\"",
      BOTH,
      { NEW, CALL, NULL },
      true,
      RPC_HEADER_MISMATCH },
    { "another name", CALL, "\"a\"", BOTH, { NEW, CALL, "A" }, true, RPC_HEADER_MISMATCH },
    { "bad Base64", CALL, "\"a\"", BOTH, { NEW, CALL, "=?base64?Y?=" }, true, RPC_HEADER_MISMATCH },
    { "marks that overlap",
      CALL,
      "\"a\"",
      BOTH,
      { NEW, CALL, "=?base64?=" },
      true,
      RPC_HEADER_MISMATCH },
    { "a name that is not a text", CALL, "5", BOTH, { NEW, CALL, "5" }, true, RPC_HEADER_MISMATCH },
};

static void check(void **state)
{
    const struct row *row = *state;
    scoped(mem_free) char *meta = str_format(",\"_meta\":{%s}", row->meta ? row->meta : "");
    scoped(mem_free) char *body =
        str_format("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"%s\",\"params\":{\"name\":%s%s}}",
                   row->method, row->tool ? row->tool : "null", row->meta ? meta : "");
    struct mcp_message message = { 0 };
    struct rpc_fault fault = { 0 };
    assert_true(mcp_message_read(text_of(body), &message, &fault));
    assert_int_equal(era_is_modern(&message, &row->headers), row->is_modern);
    if (row->is_modern) {
        assert_int_equal(era_check(&message, &row->headers, &fault), row->code == 0);
        assert_int_equal(fault.code, row->code);
        assert_int_equal(fault.data[0] != '\0', row->code == RPC_UNSUPPORTED_VERSION);
    }
    mcp_message_free(&message);
}

static void initialize_is_answered_by_what_is_offered(void **state)
{
    (void)state;
    assert_string_equal(era_legacy_version("2025-06-18"), "2025-06-18");
    assert_string_equal(era_legacy_version("2025-11-25"), "2025-11-25");
    assert_string_equal(era_legacy_version("2025-03-26"), "2025-11-25");
    assert_string_equal(era_legacy_version("2026-07-28"), "2025-11-25");
    assert_string_equal(era_legacy_version(""), "2025-11-25");
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(
        initialize_is_answered_by_what_is_offered) };
    return cmocka_run_group_tests(tests, NULL, NULL) + RUN_ROWS(rows, check);
}
