/* tests/unit/gateway/mcp/view.c - from a contract's schema to one that every provider accepts. */
#include "gateway/mcp/view.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "rows.h"
#include "text/json.h"

static const struct row {
    const char *name;
    const char *property; /* YAML of a request's property a */
    const char *want;     /* its view */
} rows[] = {
    { "plain", "{ type: string, description: What it is }",
      "{\"type\":\"string\",\"description\":\"What it is\"}" },
    { "limits", "{ type: integer, minimum: 1, maximum: 9 }",
      "{\"type\":\"integer\",\"minimum\":1,\"maximum\":9}" },
    { "what not all take goes", "{ type: string, pattern: '^a', aliases: [b], allow_nul: true }",
      "{\"type\":\"string\"}" },
    { "a default is mentioned", "{ type: integer, default: 5, description: How many }",
      "{\"type\":\"integer\",\"description\":\"How many. Default: 5\"}" },
    { "a default behind a full stop", "{ type: string, default: b, description: One. }",
      "{\"type\":\"string\",\"description\":\"One. Default: b\"}" },
    { "an empty default", "{ type: string, default: '' }",
      "{\"type\":\"string\",\"description\":\"Default: \\\"\\\"\"}" },
    { "choices", "{ type: string, enum: [b, c] }", "{\"type\":\"string\",\"enum\":[\"b\",\"c\"]}" },
    { "a constant", "{ type: string, const: b }", "{\"type\":\"string\",\"enum\":[\"b\"]}" },
    { "choices that are numbers", "{ type: integer, enum: [1, 2] }",
      "{\"type\":\"integer\",\"description\":\"One of 1, 2\"}" },
    { "null goes", "{ type: [string, 'null'], maxLength: 3 }",
      "{\"type\":\"string\",\"maxLength\":3}" },
    { "a large number is a text", "{ type: [integer, string], maxLength: 3, minimum: 1 }",
      "{\"type\":\"string\",\"maxLength\":3}" },
    { "choices next to it, too", "{ type: [integer, string], enum: [0, b] }",
      "{\"type\":\"string\",\"enum\":[\"b\"]}" },
    { "types that are left",
      "{ type: [string, array], items: { type: integer }, maxLength: 3, maxItems: 2, description: "
      "d }",
      "{\"description\":\"d\",\"anyOf\":[{\"type\":\"string\",\"maxLength\":3},{\"type\":\"array\","
      "\"maxItems\":2,\"items\":{\"type\":\"integer\"}}]}" },
    { "anything", "{ hint_type: boolean }", "{\"type\":\"boolean\"}" },
    { "anything of two kinds", "{ hint_type: [boolean, object] }",
      "{\"anyOf\":[{\"type\":\"boolean\"},{\"type\":\"object\"}]}" },
    { "a list of anything", "{ hint_type: array, items: { hint_type: object } }",
      "{\"type\":\"array\",\"items\":{\"type\":\"object\"}}" },
    { "an object",
      "{ properties: { b: { type: string }, c: { type: string } }, required: [b], one_of_required: "
      "[c] }",
      "{\"type\":\"object\",\"properties\":{\"b\":{\"type\":\"string\"},\"c\":{\"type\":\"string\"}"
      "},"
      "\"required\":[\"b\"],\"description\":\"Give at least one of: c\"}" },
    { "one of two fields",
      "{ properties: { b: { type: string }, c: { type: string } }, one_of_required: [b, c], "
      "one_of_exclusive: true }",
      "{\"type\":\"object\",\"properties\":{\"b\":{\"type\":\"string\"},\"c\":{\"type\":\"string\"}"
      "},"
      "\"description\":\"Give exactly one of: b, c\"}" },
};

static char folder[] = "/tmp/view-XXXXXX";

static struct contract *contract_of(const char *property, const char *more)
{
    scoped(mem_free) char *group = str_format("%s/svc-x", folder);
    scoped(mem_free) char *tool = str_format("%s/t", group);
    scoped(mem_free) char *path = str_format("%s/t.yaml", tool);
    struct contract *contract = NULL;
    struct err err = { 0 };
    mkdir(group, 0700);
    mkdir(tool, 0700);
    FILE *file = fopen(path, "w");
    fprintf(file,
            "tool: t\ntitle: T\nsummary: Does it.\ncredits: 2\nrate_class: c\nbudget_ms: 2000\n%s"
            "request:\n  properties:\n    a: %s\n"
            "result:\n  required: [r, h]\n  properties:\n    r: { type: string, enum: [x] }\n"
            "    n: { type: [string, 'null'] }\n    v: {}\n    h: { type: string, agent: omit }\n"
            "    o: { properties: { i: { type: string } } }\n"
            "examples:\n  - request: {}\n",
            more, property);
    fclose(file);
    if (!contract_load(path, &contract, &err))
        fail_msg("%s", err.message);
    unlink(path);
    rmdir(tool);
    rmdir(group);
    return contract;
}

static char *printed(const cJSON *node)
{
    struct buf out = BUF(1 << 16);
    json_print(node, &out);
    return buf_take(&out);
}

static void check(void **state)
{
    const struct row *row = *state;
    static const struct rate_class limits = { 0 };
    scoped(contract_free) struct contract *contract = contract_of(row->property, "");
    scoped(json_free) cJSON *view = NULL;
    assert_true(view_tool(contract, &limits, 10, &view, NULL));
    scoped(mem_free) char *got = printed(json_at(view, "/inputSchema/properties/a"));
    assert_string_equal(got, row->want);
}

static void a_tool_says_what_it_costs(void **state)
{
    static const struct rate_class limits = { NULL, 30, 10, 5 };
    (void)state;
    scoped(contract_free) struct contract *contract =
        contract_of("{ type: string }", "open_world: true\n");
    scoped(json_free) cJSON *view = NULL;
    assert_true(view_tool(contract, &limits, 10, &view, NULL));
    scoped(mem_free) char *got = printed(view);
    assert_string_equal(
        got,
        "{\"name\":\"t\",\"title\":\"T\",\"description\":\"Does it. 2 credits per "
        "successful call; at most 30 calls a minute; at most 10 calls a minute of this and "
        "similar tools together; at most 5 calls a day.\",\"inputSchema\":{\"type\":\"object\","
        "\"properties\":{\"a\":{\"type\":\"string\"}}},\"annotations\":{\"readOnlyHint\":true},"
        "\"_meta\":{\"tollgate/credits\":2}}");
}

/* Expensive ones, and those that probe hosts. */
static void hosts_are_told_to_ask(void **state)
{
    static const struct rate_class limits = { 0 };
    (void)state;
    scoped(contract_free) struct contract *plain = contract_of("{ type: string }", "");
    scoped(contract_free) struct contract *intrusive =
        contract_of("{ type: string }", "intrusive: true\n");
    const struct contract *const contracts[] = { plain, plain, intrusive };
    static const int64_t ask_from[] = { 3, 2, 3 };
    static const bool is_read_only[] = { true, false, false };
    for (size_t i = 0; i < countof(contracts); i++) {
        scoped(json_free) cJSON *view = NULL;
        assert_true(view_tool(contracts[i], &limits, ask_from[i], &view, NULL));
        assert_int_equal(json_is(json_at(view, "/annotations/readOnlyHint"), cJSON_True),
                         is_read_only[i]);
    }
}

static void results_show_what_is_certain(void **state)
{
    (void)state;
    scoped(contract_free) struct contract *contract = contract_of("{ type: string }", "");
    scoped(json_free) cJSON *view = view_output(contract);
    scoped(mem_free) char *got = printed(view);
    assert_string_equal(
        got, "{\"type\":\"object\",\"properties\":{\"r\":{\"type\":\"string\",\"enum\":[\"x\"]},"
             "\"n\":{},\"v\":{},\"o\":{\"type\":\"object\"}},\"required\":[\"r\"]}");
    scoped(contract_free) struct contract *raw =
        contract_of("{ type: string }", "raw: [image/png]\n");
    assert_null(view_output(raw));
}

static void a_long_summary_is_refused(void **state)
{
    static const struct rate_class limits = { 0 };
    struct err err = { 0 };
    cJSON *view = NULL;
    char summary[VIEW_DESCRIPTION_BYTES];
    (void)state;
    scoped(contract_free) struct contract *contract = contract_of("{ type: string }", "");
    memset(summary, 'x', sizeof(summary) - 1);
    summary[sizeof(summary) - 1] = '\0';
    contract->summary = summary;
    assert_false(view_tool(contract, &limits, 10, &view, &err));
    assert_non_null(strstr(err.message, "longer than 600 bytes"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_tool_says_what_it_costs),
        cmocka_unit_test(hosts_are_told_to_ask),
        cmocka_unit_test(results_show_what_is_certain),
        cmocka_unit_test(a_long_summary_is_refused),
    };
    if (!mkdtemp(folder))
        return 1;
    int failed = cmocka_run_group_tests(tests, NULL, NULL) + RUN_ROWS(rows, check);
    rmdir(folder);
    return failed;
}
