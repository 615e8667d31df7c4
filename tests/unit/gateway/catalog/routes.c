/* tests/unit/gateway/catalog/routes.c - the route of a path, and its parameters. */
#include "gateway/catalog/routes.h"

#include "base/mem.h"
#include "rows.h"

static const struct row {
    const char *name; /* the path */
    enum route want;
    const char *account;
    const char *tool;
    const char *token; /* NULL: none */
} rows[] = {
    { "/livez", ROUTE_LIVEZ, "", "" },
    { "/readyz", ROUTE_READYZ, "", "" },
    { "/openapi.json", ROUTE_OPENAPI, "", "" },
    { "/v1/client/abc/tools/hash-generate", ROUTE_TOOL, "abc", "hash-generate" },
    { "/v1/client/abc/tools/hash-generate/dry-run", ROUTE_DRY_RUN, "abc", "hash-generate" },
    { "/v1/client/abc/tools/hash-generate/dry-run/", ROUTE_TOOL, "abc", "hash-generate/dry-run/" },
    { "/v1/client/abc/tools/dry-run", ROUTE_TOOL, "abc", "dry-run" },
    { "/v1/client/abc/tools//dry-run", ROUTE_DRY_RUN, "abc", "" },
    { "/v1/client/abc/tools/a/b/dry-run", ROUTE_TOOL, "abc", "a/b/dry-run" },
    { "/v1/client/abc/account/credits", ROUTE_CREDITS, "abc", "" },
    { "/v1/tools", ROUTE_TOOLS, "", "" },
    { "/v1/tools/", ROUTE_NONE, "", "" },
    { "/llms.txt", ROUTE_LLMS, "", "" },
    { "/v1/client/abc/account/usage", ROUTE_USAGE, "abc", "" },
    { "/v1/client/abc/account/limits", ROUTE_LIMITS, "abc", "" },
    { "/v1/client/abc/account/requests", ROUTE_REQUESTS, "abc", "" },
    { "/v1/client/abc/account/invoices", ROUTE_INVOICES, "abc", "" },
    { "/v1/client/abc/account/invoices/", ROUTE_NONE, "", "" },
    { "/v1/client/abc/account/tokens", ROUTE_TOKENS, "abc", "" },
    { "/v1/client/abc/account/tokens/7", ROUTE_ONE_TOKEN, "abc", "", "7" },
    { "/v1/client/abc/account/tokens/", ROUTE_ONE_TOKEN, "abc", "", "" },
    { "/v1/client/abc/account/tokens/7/revoke", ROUTE_TOKEN_REVOKE, "abc", "", "7" },
    { "/v1/client/abc/account/tokens/7/rotate", ROUTE_TOKEN_ROTATE, "abc", "", "7" },
    { "/v1/client/abc/account/tokens/7/rotate/", ROUTE_NONE, "", "" },
    { "/v1/client/abc/account/tokens/7/drop", ROUTE_NONE, "", "" },
    { "/v1/client/abc/mcp", ROUTE_MCP, "abc", "" },
    { "/v1/client/abc/mcp/", ROUTE_NONE, "", "" },
    { "/mcp", ROUTE_APP_MCP, "", "" },
    { "/mcp/", ROUTE_APP_MCP, "", "" },
    { "/mcp//", ROUTE_NONE, "", "" },
    { "/mcp/x", ROUTE_NONE, "", "" },
    { "/.well-known/oauth-protected-resource/mcp", ROUTE_RESOURCE, "", "" },
    { "/.well-known/oauth-protected-resource", ROUTE_NONE, "", "" },
    { "/.well-known/oauth-protected-resource/mcp/", ROUTE_NONE, "", "" },
    { "/v1/client//tools/x", ROUTE_TOOL, "", "x" },
    { "/v1/client/abc/tools/", ROUTE_TOOL, "abc", "" },
    { "/v1/client/abc/tools/a/b", ROUTE_TOOL, "abc", "a/b" },
    { "/v1/client/%2e/tools/x", ROUTE_TOOL, "%2e", "x" },
    { "", ROUTE_NONE, "", "" },
    { "/", ROUTE_NONE, "", "" },
    { "/livez/", ROUTE_NONE, "", "" },
    { "/live", ROUTE_NONE, "", "" },
    { "/v1/client/abc", ROUTE_NONE, "", "" },
    { "/v1/client/abc/tools", ROUTE_NONE, "", "" },
    { "/v1/client/abc/account/credits/", ROUTE_NONE, "", "" },
    { "/v1/client/a/b/tools/x", ROUTE_NONE, "", "" },
    { "/v2/client/abc/tools/x", ROUTE_NONE, "", "" },
    { "/V1/client/abc/tools/x", ROUTE_NONE, "", "" },
};

static void check(void **state)
{
    const struct row *row = *state;
    struct route_names names;
    assert_int_equal(route_find(row->name, &names), row->want);
    assert_true(text_is(names.account, row->account));
    assert_true(text_is(names.tool, row->tool));
    assert_true(text_is(names.token, row->token ? row->token : ""));
}

static void paths_of_documents(void **state)
{
    (void)state;
    scoped(mem_free) char *tool = route_path(ROUTE_TOOL, "hash-generate");
    scoped(mem_free) char *credits = route_path(ROUTE_CREDITS, NULL);
    assert_string_equal(tool, "/v1/client/{auuid}/tools/hash-generate");
    assert_string_equal(credits, "/v1/client/{auuid}/account/credits");
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(paths_of_documents) };
    return RUN_ROWS(rows, check) + cmocka_run_group_tests(tests, NULL, NULL);
}
