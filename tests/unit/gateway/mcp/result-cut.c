/* tests/unit/gateway/mcp/result-cut.c - large results fit, keep their types, and say what is
 * missing. */
#include "gateway/mcp/result-cut.h"

#include <string.h>

#include "rows.h"
#include "text/json.h"

enum { LIMIT = 65536, RESULT_BYTES = 4 << 20 };

/* Append `open`, `part` as often as fits into `bytes`, separated by commas, and `close`. */
static void add_many(struct buf *out, const char *open, const char *part, const char *close,
                     size_t bytes)
{
    buf_add_str(out, open);
    for (size_t end = out->size + bytes; out->size < end;)
        buf_format(out, "%s%s", out->bytes[out->size - 1] == '[' ? "" : ",", part);
    buf_add_str(out, close);
}

static cJSON *cut_tree(struct text result, struct result_cut *cut)
{
    scoped(buf_free) struct buf out = BUF(RESULT_BYTES);
    cJSON *tree = NULL;
    struct err err = { 0 };
    assert_true(result_cut(result, LIMIT, cut, &out));
    assert_true(out.size <= LIMIT);
    if (!json_parse(buf_text(&out), JSON_DEPTH, &tree, &err))
        fail_msg("%s", err.message);
    return tree;
}

static void lists_keep_their_first_items(void **state)
{
    scoped(buf_free) struct buf result = BUF(RESULT_BYTES);
    struct result_cut cut;
    (void)state;
    add_many(&result, "{\"n\":9007199254740993,\"rows\":[",
             "{\"id\":1.10,\"cells\":[1,2,3],\"name\":\"x\"}", "],\"end\":null}", 1 << 20);
    scoped(json_free) cJSON *tree = cut_tree(buf_text(&result), &cut);
    scoped(buf_free) struct buf printed = BUF(4096);
    const cJSON *rows = json_get(tree, "rows");
    assert_true(json_size(rows) >= 100);
    json_print(json_at(tree, "/rows/0"), &printed);
    assert_string_equal(buf_str(&printed), "{\"id\":1.1,\"cells\":[1,2,3],\"name\":\"x\"}");
    assert_string_equal(json_get(tree, "n")->valuestring, "9007199254740993");
    assert_true(json_is(json_get(tree, "end"), cJSON_NULL));
    assert_true(json_is(json_get(tree, "truncated"), cJSON_True));
    assert_int_equal(cut.count, 1);
    assert_string_equal(cut.place[0].path, "rows");
    assert_int_equal(cut.place[0].shown, json_size(rows));
    scoped(json_free) cJSON *whole = NULL;
    assert_true(json_parse(buf_text(&result), JSON_DEPTH, &whole, NULL));
    assert_int_equal(cut.place[0].total, json_size(json_get(whole, "rows")));
}

static void long_texts_are_left_out_whole(void **state)
{
    scoped(buf_free) struct buf result = BUF(RESULT_BYTES);
    scoped(buf_free) struct buf note = BUF(CUT_NOTE_BYTES);
    scoped(buf_free) struct buf list = BUF(CUT_NOTE_BYTES);
    struct result_cut cut;
    (void)state;
    buf_add_str(&result, "{\"truncated\":false,\"code\":{\"go\":\"");
    for (int i = 0; i < 70000; i++)
        buf_add_byte(&result, 'x');
    buf_add_str(&result, "\",\"rust\":\"short\"}}");
    scoped(json_free) cJSON *tree = cut_tree(buf_text(&result), &cut);
    assert_string_equal(json_text(tree, "/code/go"), "");
    assert_string_equal(json_text(tree, "/code/rust"), "short");
    assert_int_equal(json_size(tree), 2);
    assert_string_equal(cut.place[0].path, "code.go");
    result_cut_note(&cut, NULL, LIMIT, &note);
    assert_string_equal(buf_str(&note), "Cut to 65536 bytes. code.go: left out, 70000 bytes. The "
                                        "REST API returns the whole result.");
    result_cut_list(&cut, &list);
    assert_string_equal(buf_str(&list), "[{\"path\":\"code.go\",\"bytes\":70000}]");
}

/* Whatever is large, it fits, and the top stays. */
static void every_form_fits(void **state)
{
    static const char *const parts[] = {
        "\"x\"",
        "[[[[1,2,3]]]]",
        "{\"a\":{\"b\":{\"c\":[\"text\"]}}}",
        "{\"a\":\"0123456789012345678901234567890123456789\"}",
        "null",
    };
    (void)state;
    for (size_t i = 0; i < countof(parts); i++) {
        scoped(buf_free) struct buf result = BUF(RESULT_BYTES);
        struct result_cut cut;
        add_many(&result, "{\"deep\":{\"list\":[[", parts[i], "]]},\"last\":1}", 1 << 20);
        scoped(json_free) cJSON *tree = cut_tree(buf_text(&result), &cut);
        assert_int_equal(json_integer(tree, "last"), 1);
        assert_true(json_is(json_at(tree, "/deep/list/0"), cJSON_Array));
        assert_true(cut.count > 0);
    }
    scoped(buf_free) struct buf map = BUF(RESULT_BYTES);
    struct result_cut cut;
    buf_add_str(&map, "{\"map\":{\"k\":0");
    for (int i = 0; i < 100000; i++)
        buf_format(&map, ",\"key-%d\":%d", i, i);
    buf_add_str(&map, "}}");
    scoped(json_free) cJSON *tree = cut_tree(buf_text(&map), &cut);
    assert_int_equal(cut.place[0].total, 100001);
    assert_int_equal(json_size(json_get(tree, "map")), cut.place[0].shown);
}

/* Too many members at the top cannot be cut. */
static void what_cannot_be_cut_stays(void **state)
{
    scoped(buf_free) struct buf result = BUF(RESULT_BYTES);
    scoped(buf_free) struct buf out = BUF(RESULT_BYTES);
    struct result_cut cut;
    (void)state;
    buf_add_str(&result, "{\"k\":0");
    for (int i = 0; i < 10000; i++)
        buf_format(&result, ",\"key-%d\":%d", i, i);
    buf_add_byte(&result, '}');
    assert_false(result_cut(buf_text(&result), LIMIT, &cut, &out));
    assert_int_equal(out.size + cut.count, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lists_keep_their_first_items),
        cmocka_unit_test(long_texts_are_left_out_whole),
        cmocka_unit_test(every_form_fits),
        cmocka_unit_test(what_cannot_be_cut_stays),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
