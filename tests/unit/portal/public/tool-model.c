/* tests/unit/portal/public/tool-model.c - what pages show of the tools on sale. */
#include "portal/public/tool-model.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "portal/public/error-rows.h"
#include "rows.h"
#include "text/json.h"

static struct catalog_cache *catalog;
static const struct curl_caller caller = { "https://api.example.com", "", NULL, NULL };

static int load_catalog(void **state)
{
    (void)state;
    struct err err = { 0 };
    if (!catalog_cache_load(SOURCE_ROOT, SOURCE_ROOT "/gateway/limits.yaml", &catalog, &err))
        print_error("%s\n", err.message);
    return catalog ? 0 : -1;
}

static int free_catalog(void **state)
{
    (void)state;
    catalog_cache_free(&catalog);
    return 0;
}

/* ---- rows of single tools; 'single quotes' are JSON's ---- */

static const struct row {
    const char *name; /* the tool */
    const char *pointer;
    const char *want; /* JSON */
} rows[] = {
    { "hash-generate", "/name", "'Hash generator'" },
    { "hash-generate", "/price", "'1 credit'" },
    { "hash-generate", "/group", "'Developer utilities'" },
    { "hash-generate", "/is_secret", "true" },
    { "hash-generate", "/limits/0", "'30 calls in any minute'" },
    { "hash-generate", "/limits/1", "'60 calls in any minute to all tools'" },
    { "hash-generate", "/limits/2", "'Timeout 2 seconds; a call that times out is free'" },
    { "hash-generate", "/request_rows/0/path", "'input'" },
    { "hash-generate", "/request_rows/0/is_required", "true" },
    { "hash-generate", "/request_rows/0/limits", "'at most 100,000 characters'" },
    { "qr-generate", "/request_rows/0/limits", "'at least 1 character'" },
    { "hash-generate", "/request_rows/5/default", "'utf8'" },
    { "hash-generate", "/request_rows/6/limits", "'one of utf8, hex, base64'" },
    { "hash-generate", "/result_rows/7/path", "'warnings[].code'" },
    { "hash-generate", "/result_rows/7/indent", "1" },
    { "hash-generate", "/failures/1/code", "'unknown_algorithm'" },
    { "hash-generate", "/failures/1/status", "'400'" },
    { "email-validator", "/limits/0",
      "'10 calls in any minute to all tools of the class email-single'" },
    { "ai-translate", "/limits/1", "'10 calls per day (UTC)'" },
    { "placeholder-image", "/method", "'GET'" },
    { "placeholder-image", "/answers", "'image/svg+xml'" },
    { "placeholder-image", "/request_rows/0/about",
      "'Pixels. Default: from size, else height, else 600. Also called w'" },
    { "placeholder-image", "/result_rows", "[]" },
    { "placeholder-image", "/request_rows/0/limits", "'1 to 4,000'" },
};

static void check(void **state)
{
    const struct row *row = *state;
    scoped(json_free) cJSON *model =
        tool_model(catalog, catalog_cache_find(catalog, row->name), &caller);
    scoped(buf_free) struct buf got = BUF(1 << 12);
    scoped(buf_free) struct buf want = BUF(1 << 12);
    json_print(json_at(model, row->pointer), &got);
    for (const char *at = row->want; *at; at++)
        buf_add_str(&want, *at == '\'' ? "\"" : (char[]){ *at, 0 });
    assert_string_equal(buf_str(&got), buf_str(&want));
}

/* ---- all tools ---- */

static void every_tool_has_a_whole_page(void **state)
{
    (void)state;
    for (size_t i = 0; i < catalog->count; i++) {
        scoped(json_free) cJSON *model = tool_model(catalog, catalog->contracts[i], &caller);
        const cJSON *codes = json_get(catalog->contracts[i]->document, "errors");
        assert_true(json_size(json_get(model, "request_rows")) > 0);
        assert_true(json_size(json_get(model, "examples")) > 0);
        assert_int_equal(json_size(json_get(model, "failures")), json_size(codes));
    }
}

static void every_tool_is_in_the_catalog_once(void **state)
{
    (void)state;
    scoped(json_free) cJSON *model = json_object();
    const cJSON *group;
    size_t tools = 0;
    catalog_model_add(catalog, model);
    assert_int_equal(json_size(json_get(model, "groups")), catalog->group_count);
    cJSON_ArrayForEach(group, json_get(model, "groups"))
        tools += json_size(json_get(group, "tools"));
    assert_int_equal(tools, catalog->count);
    assert_string_equal(json_text(model, "/groups/0/heading"), catalog->groups[0].title);
}

static void what_is_not_there_is_not_found(void **state)
{
    (void)state;
    assert_null(catalog_cache_find(catalog, ""));
    assert_null(catalog_cache_find(catalog, "hash-generat"));
    assert_null(catalog_cache_find(catalog, "hash-generatee"));
    assert_null(error_row_find("no_such_code"));
    assert_int_equal(catalog_cache_group(catalog, "nowhere"), catalog->group_count);
}

static void broken_limits_leave_the_old_ones(void **state)
{
    (void)state;
    char path[] = "/tmp/limits-XXXXXX";
    int file = mkstemp(path);
    const char *few = "{global_per_minute: 1, address_per_minute: 1, classes: {utility: {}}}";
    assert_int_equal(write(file, few, strlen(few)), strlen(few));
    close(file);
    struct err err = { 0 };
    assert_false(catalog_cache_reload(catalog, path, &err));
    assert_non_null(strstr(err.message, "rate_class"));
    unlink(path);
    assert_false(catalog_cache_reload(catalog, path, &err));
    assert_int_equal(
        catalog_cache_allowance(catalog, catalog_cache_find(catalog, "hash-generate")).of_all, 60);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_tool_has_a_whole_page),
        cmocka_unit_test(every_tool_is_in_the_catalog_once),
        cmocka_unit_test(what_is_not_there_is_not_found),
        cmocka_unit_test(broken_limits_leave_the_old_ones),
    };
    return cmocka_run_group_tests(tests, load_catalog, free_catalog) +
           RUN_ROWS_ON(rows, check, load_catalog, free_catalog);
}
