/* tests/unit/portal/snippets/snippets.c - calls ready to copy. tests/api/portal/test_snippets.py
 * runs them. */
#include "portal/snippets/snippets.h"

#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "rows.h"
#include "text/json.h"

static const cJSON some_result;
static struct contract post = { .tool = "hash-generate",
                                .result = (struct schema *)(uintptr_t)&some_result };
static struct contract get = { .tool = "placeholder-image", .is_get = true };
static const struct curl_caller plain = { "https://api.example.com", "", NULL, NULL };
static const struct curl_caller known = { "https://api.example.com", "", "0198", NULL };

static const struct row {
    const char *name;
    const struct contract *contract;
    const struct curl_caller *caller;
    const char *request;
    size_t nth;
    const char *want; /* a part of it */
} rows[] = {
    { "curl", &post, &plain, "{\"input\":\"abc\"}", 0, "-d '{\"input\":\"abc\"}'" },
    { "Python reads the account", &post, &plain, "{\"input\":\"abc\"}", 1,
      "account = os.environ[\"ACCOUNT\"]\n" },
    { "Python has the account", &post, &known, "{\"input\":\"abc\"}", 1, "account = \"0198\"\n" },
    { "Python's words", &post, &plain, "{\"a\":[true,false,null,1.5,\"it's\"],\"b\":{}}", 1,
      "json.dumps({\"a\": [True, False, None, 1.5, \"it's\"], \"b\": {}}).encode(),\n" },
    { "Python with a query", &get, &plain, "{\"text\":\"{a}\"}", 1,
      "/tools/placeholder-image?text=%7Ba%7D\",\n    headers={" },
    { "TypeScript", &post, &plain, "{\"input\":\"abc\"}", 2,
      "body: JSON.stringify({\"input\":\"abc\"}),\n" },
    { "TypeScript with a query", &get, &known, "{\"width\":3}", 2,
      "/v1/client/0198/tools/placeholder-image?width=3`, {\n  headers: {" },
    { "C has JSON as a string", &post, &plain, "{\"input\":\"a\\n\\\"\\u0001\"}", 3,
      "\"{\\\"input\\\":\\\"a\\\\n\\\\\\\"\\\\u0001\\\"}\"" },
    { "C with a query that has a percent sign", &get, &known, "{\"text\":\" \"}", 3,
      "\"/tools/placeholder-image?text=%20\");\n" },
    { "MCP", &post, &known, "{}", 4,
      "\"url\": \"https://api.example.com/v1/client/0198/mcp?tools=hash-generate\"" },
};

static void check(void **state)
{
    const struct row *row = *state;
    scoped(json_free) cJSON *model = json_object();
    scoped(json_free) cJSON *request = NULL;
    char pointer[40];
    assert_true(json_parse(text_of(row->request), JSON_DEPTH, &request, NULL));
    snippets_add(row->contract, request, row->caller, "x", model);
    snprintf(pointer, sizeof(pointer), "/snippets/%zu/text", row->nth);
    const char *text = json_text(model, pointer);
    if (!strstr(text, row->want))
        fail_msg("%s", text);
    assert_null(strstr(text, "tg_live_"));
}

static void ids_are_different(void **state)
{
    (void)state;
    scoped(json_free) cJSON *model = json_object();
    scoped(json_free) cJSON *request = json_object();
    snippets_add(&post, request, &plain, "example-1", model);
    assert_string_equal(json_text(model, "/snippets/0/id"), "example-1");
    assert_string_equal(json_text(model, "/snippets/3/id"), "example-1-c");
    assert_true(json_is(json_at(model, "/snippets/0/is_open"), cJSON_True));
    assert_true(json_is(json_at(model, "/snippets/1/is_open"), cJSON_False));
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(ids_are_different) };
    return cmocka_run_group_tests(tests, NULL, NULL) + RUN_ROWS(rows, check);
}
