/* tests/unit/portal/results/view.c - results as people read them, also those of hostile sites. */
#include "portal/results/view.h"

#include <string.h>

#include "base/codec/utf8.h"
#include "base/mem.h"
#include "rows.h"
#include "text/json.h"

static struct contract **contracts;
static size_t contract_count;

static int load(void **state)
{
    (void)state;
    return contract_load_all(SOURCE_ROOT, NULL, &contracts, &contract_count, NULL) ? 0 : -1;
}

static int release(void **state)
{
    (void)state;
    for (size_t i = 0; i < contract_count; i++)
        contract_free(&contracts[i]);
    mem_free(&contracts);
    return 0;
}

static const struct contract *contract_of(const char *tool)
{
    size_t i = 0;
    while (i < contract_count && strcmp(contracts[i]->tool, tool) != 0)
        i++;
    assert_true(i < contract_count);
    return contracts[i];
}

/* 'single quotes' are JSON's. */
static void write_json(const char *text, struct buf *out)
{
    for (; *text; text++)
        buf_add_byte(out, *text == '\'' ? '"' : *text);
}

static cJSON *view_of(const char *tool, struct text json)
{
    scoped(json_free) cJSON *result = NULL;
    bool has_repeats;
    cJSON *model = json_object();
    assert_true(json_parse_as_is(json, JSON_DEPTH, &result, &has_repeats, NULL));
    result_view_add(contract_of(tool), result, model);
    return model;
}

/* ---- shapes ---- */

static const struct row {
    const char *name;
    const char *tool;
    const char *result;
    const char *pointer; /* in the view */
    const char *want;    /* JSON; "": nothing */
} rows[] = {
    { "a pair", "dns-lookup", "{'a':'b'}", "/sections/0/pairs/0", "{'name':'a','value':'b'}" },
    { "a number keeps its digits", "dns-lookup", "{'n':12345678901234567890}",
      "/sections/0/pairs/0/value", "'12345678901234567890'" },
    { "yes, no and nothing", "dns-lookup", "{'l':[true,false,null]}", "/sections/0/pairs/0/value",
      "'yes, no, –'" },
    { "pairs before what is nested", "dns-lookup", "{'o':{'x':1},'a':2}",
      "/sections/0/pairs/0/name", "'a'" },
    { "an object has a heading", "dns-lookup", "{'o':{'x':1},'a':2}", "/sections/1/heading",
      "'o'" },
    { "an inner one has its path", "dns-lookup", "{'o':{'p':{'x':1}}}", "/sections/0/heading",
      "'o.p'" },
    { "a list of objects is a table", "dns-lookup", "{'l':[{'a':1},{'b':'x'}]}",
      "/sections/0/columns", "[{'name':'a'},{'name':'b'}]" },
    { "a cell that a row lacks is empty", "dns-lookup", "{'l':[{'a':1},{'b':'x'}]}",
      "/sections/0/rows/1/cells/0", "{'name':'a','value':''}" },
    { "what is nested in a cell is JSON", "dns-lookup", "{'l':[{'a':{'b':1}}]}",
      "/sections/0/rows/0/cells/0/value", "'{\\'b\\':1}'" },
    { "an empty list", "dns-lookup", "{'l':[]}", "/sections/0/pairs/0/value", "''" },
    { "a mixed list is numbered", "dns-lookup", "{'l':[1,{'a':2}]}", "/sections/1/heading",
      "'l.1'" },
    { "lines stay lines", "json-to-code", "{'code':{'go':'a\\nb'}}", "/sections/0/lines",
      "'a\\nb'" },
    { "markup stays text", "dns-lookup", "{'<b>':'<script>'}", "/sections/0/pairs/0/value",
      "'<script>'" },
    { "an image of the tool", "qr-generate", "{'svg_base64':'PHN2Zy8+'}", "/images/0/alt",
      "'QR code generator'" },
    { "its text is not repeated", "qr-generate", "{'svg_base64':'PHN2Zy8+'}", "/sections/0", "" },
    { "a picture of a model", "ai-image-generate",
      "{'images':[{'b64_json':'iVBORw0K','mime_type':'image/png'}]}", "/images/0/alt",
      "'AI image generator'" },
    { "no image of another type", "ai-image-generate",
      "{'images':[{'b64_json':'iVBORw0K','mime_type':'text/html'}]}", "/images/0", "" },
    { "no image that is not Base64", "qr-generate", "{'svg_base64':'\\\" onerror=x'}", "/images/0",
      "" },
    { "no image of another tool", "dns-lookup", "{'svg_base64':'PHN2Zy8+'}", "/images/0", "" },
    { "a site's name for one", "tech-detect",
      "{'images':[{'b64_json':'iVBORw0K',"
      "'mime_type':'image/png'}]}",
      "/images/0", "" },
};

static void check(void **state)
{
    const struct row *row = *state;
    scoped(buf_free) struct buf json = BUF(4 << 10);
    scoped(buf_free) struct buf want = BUF(4 << 10);
    scoped(buf_free) struct buf got = BUF(4 << 10);
    write_json(row->result, &json);
    write_json(row->want, &want);
    scoped(json_free) cJSON *model = view_of(row->tool, buf_text(&json));
    const cJSON *found = json_at(json_get(model, "view"), row->pointer);
    if (found)
        json_print(found, &got);
    assert_string_equal(buf_str(&got), buf_str(&want));
}

/* ---- limits ---- */

static size_t bytes_of(const cJSON *model)
{
    scoped(buf_free) struct buf out = BUF(64 << 20);
    json_print(model, &out);
    assert_false(out.full);
    return out.size;
}

/* Nothing that a site can put into a result makes the view larger than VIEW_PAGE_BYTES, when each
 * of its bytes is escaped. */
static void check_size(const struct buf *result, bool is_cut)
{
    scoped(json_free) cJSON *model = view_of("dns-lookup", buf_text(result));
    assert_true(bytes_of(model) < VIEW_PAGE_BYTES / 2);
    assert_int_equal(json_is(json_at(model, "/view/is_cut"), cJSON_True), is_cut);
}

static void many_values_are_cut(void **state)
{
    (void)state;
    scoped(buf_free) struct buf json = BUF(64 << 20);
    buf_add_str(&json, "{\"l\":[0");
    for (int i = 0; i < 3000; i++)
        buf_format(&json, ",{\"x\":[{\"name\":\"%0*d\",\"%0*d\":1}]}", 300, i, 300, i);
    buf_add_str(&json, "]}");
    check_size(&json, true);
}

static void a_long_table_says_so(void **state)
{
    (void)state;
    scoped(buf_free) struct buf json = BUF(64 << 20);
    buf_add_str(&json, "{\"l\":[{}");
    for (int i = 0; i < 1999; i++)
        buf_format(&json, ",{\"name\":\"%d\"}", i);
    buf_add_str(&json, "]}");
    scoped(json_free) cJSON *model = view_of("dns-lookup", buf_text(&json));
    assert_string_equal(json_text(model, "/view/sections/0/more_rows"),
                        "The first 100 of 2,000. The JSON has all of them.");
    assert_int_equal(json_size(json_at(model, "/view/sections/0/rows")), 100);
}

static void a_long_text_is_cut_between_characters(void **state)
{
    (void)state;
    scoped(buf_free) struct buf json = BUF(1 << 20);
    buf_add_str(&json, "{\"a\":\"");
    for (int i = 0; i < 1000; i++)
        buf_add_str(&json, "ä€");
    buf_add_str(&json, "\"}");
    scoped(json_free) cJSON *model = view_of("dns-lookup", buf_text(&json));
    struct text value = json_text_of(json_at(model, "/view/sections/0/pairs/0/value"));
    assert_true(value.size < 260 && utf8_is_valid(value));
    assert_string_equal(value.bytes + value.size - 3, "…");
}

static void deep_values_end_as_json(void **state)
{
    (void)state;
    scoped(json_free) cJSON *model =
        view_of("dns-lookup", TEXT("{\"a\":{\"b\":{\"c\":{\"d\":{\"e\":{\"f\":1}}}}}}"));
    assert_string_equal(json_text(model, "/view/sections/0/heading"), "a.b.c");
    assert_string_equal(json_text(model, "/view/sections/0/pairs/0/value"), "{\"e\":{\"f\":1}}");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(many_values_are_cut),
        cmocka_unit_test(a_long_table_says_so),
        cmocka_unit_test(a_long_text_is_cut_between_characters),
        cmocka_unit_test(deep_values_end_as_json),
    };
    return cmocka_run_group_tests(tests, load, release) + RUN_ROWS_ON(rows, check, load, release);
}
