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

/* The rules of a contract; NULL: none. */
static cJSON *rules_of(const char *rules)
{
    cJSON *list = NULL;
    if (rules)
        assert_true(json_parse(text_of(rules), JSON_DEPTH, &list, NULL));
    return list;
}

static cJSON *cut_by(const char *rules, struct text result, struct result_cut *cut)
{
    scoped(json_free) cJSON *list = rules_of(rules);

    scoped(buf_free) struct buf out = BUF(RESULT_BYTES);
    cJSON *tree = NULL;
    struct err err = { 0 };
    assert_true(result_cut(result, list, LIMIT, cut, &out));
    assert_true(out.size <= LIMIT);
    if (!json_parse(buf_text(&out), JSON_DEPTH, &tree, &err))
        fail_msg("%s", err.message);
    for (size_t i = 0; i < cut->count; i++)
        cut->place[i].argument = NULL; /* of the rules, which are freed */
    return tree;
}

static cJSON *cut_tree(struct text result, struct result_cut *cut)
{
    return cut_by(NULL, result, cut);
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
    result_cut_note(&cut, LIMIT, &note);
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

static size_t places_but(const struct result_cut *cut, const char *path)
{
    size_t count = 0;
    for (size_t i = 0; i < cut->count; i++)
        count += strcmp(cut->place[i].path, path) != 0;
    return count;
}

/* A result with a list, a map with a list in each member, texts in a map, and a list of lists. */
static void add_result(struct buf *out, size_t bytes)
{
    add_many(out, "{\"total\":7,\"notes\":[", "\"a note\"", "],", bytes);
    add_many(out, "\"records\":{\"A\":[", "{\"data\":[1,2]}", "],", bytes);
    add_many(out, "\"MX\":[", "{\"data\":[3]}", "]},", bytes);
    buf_add_str(out, "\"code\":{\"go\":\"");
    for (size_t i = 0; i < bytes; i++)
        buf_add_byte(out, 'x');
    buf_add_str(out, "\",\"rust\":\"fn\"},");
    add_many(out, "\"rows\":[[", "1.50", "]]}", bytes);
}

static const struct rule_row {
    const char *name;
    const char *rules;
    size_t bytes;       /* of each part: which rules are needed */
    const char *cut[6]; /* the places that lose something, and no others */
} rule_rows[] = {
    { "the first rule suffices",
      "[{\"at\":\"records.*\"},{\"at\":\"notes\"}]",
      16000,
      { "records.A", "records.MX" } },
    { "and then nothing else loses",
      "[{\"at\":\"notes\"},{\"at\":\"records.*\"}]",
      13500,
      { "notes" } },
    { "both are needed",
      "[{\"at\":\"notes\"},{\"at\":\"records.*\"}]",
      21000,
      { "notes", "records.A", "records.MX" } },
    { "texts are left out whole", "[{\"at\":\"code.*\"}]", 16000, { "code.go" } },
    { "items of items", "[{\"at\":\"rows[]\"}]", 16000, { "rows[]" } },
    { "all inside a place",
      "[{\"at\":\"records.**\"},{\"at\":\"notes\"},{\"at\":\"code.*\"}]",
      60000,
      { "notes", "records.A", "records.MX", "code.go" } },
};

static void rules_name_what_is_cut(void **state)
{
    const struct rule_row *row = *state;
    scoped(buf_free) struct buf result = BUF(RESULT_BYTES);
    struct result_cut cut;
    add_result(&result, row->bytes);
    scoped(json_free) cJSON *tree = cut_by(row->rules, buf_text(&result), &cut);
    size_t wanted = 0;
    while (row->cut[wanted])
        wanted++;
    for (size_t i = 0; i < wanted; i++)
        if (places_but(&cut, row->cut[i]) != cut.count - 1)
            fail_msg("%s is not cut", row->cut[i]);
    if (row->bytes < 60000)
        assert_int_equal(cut.count, wanted);
    assert_int_equal(json_integer(tree, "total"), 7);
    assert_true(json_is(json_get(tree, "truncated"), cJSON_True));
}

/* As generous as the limit allows, for the last rule that is needed. */
static void a_rule_keeps_what_fits(void **state)
{
    scoped(buf_free) struct buf result = BUF(RESULT_BYTES);
    struct result_cut cut;
    (void)state;
    add_result(&result, 16000);
    scoped(json_free) cJSON *tree = cut_by("[{\"at\":\"notes\"}]", buf_text(&result), &cut);
    assert_int_equal(json_size(json_get(tree, "notes")), 100);
    assert_int_equal(cut.count, 1);
}

static void a_rule_names_the_argument(void **state)
{
    scoped(json_free) cJSON *rules = rules_of("[{\"at\":\"notes\",\"argument\":\"max_notes\"}]");
    scoped(buf_free) struct buf result = BUF(RESULT_BYTES);
    scoped(buf_free) struct buf out = BUF(RESULT_BYTES);
    scoped(buf_free) struct buf note = BUF(CUT_NOTE_BYTES);
    scoped(buf_free) struct buf list = BUF(CUT_NOTE_BYTES);
    struct result_cut cut;
    (void)state;
    add_many(&result, "{\"notes\":[", "\"a note\"", "]}", 90000);
    assert_true(result_cut(buf_text(&result), rules, LIMIT, &cut, &out));
    result_cut_note(&cut, LIMIT, &note);
    assert_string_equal(buf_str(&note),
                        "Cut to 65536 bytes. notes: the first 500 of 10001 (to get the rest, "
                        "change the argument max_notes). The REST API returns the whole result.");
    result_cut_list(&cut, &list);
    assert_string_equal(
        buf_str(&list),
        "[{\"path\":\"notes\",\"shown\":500,\"total\":10001,\"argument\":\"max_notes\"}]");
}

/* A name of the result's data may look like a path, or be a part of a rule's place. */
static void odd_names_are_data(void **state)
{
    static const char *const names[] = { "", ".", "[]", "a[b", "**", "*", "note", "notes2", "[" };
    (void)state;
    for (size_t i = 0; i < countof(names); i++) {
        scoped(mem_free) char *open = str_format("{\"notes\":{\"%s\":[", names[i]);
        scoped(buf_free) struct buf result = BUF(RESULT_BYTES);
        struct result_cut cut;
        add_many(&result, open, "\"a note\"", "]}}", 90000);
        scoped(json_free) cJSON *tree =
            cut_by("[{\"at\":\"note\"},{\"at\":\"notes.**\"}]", buf_text(&result), &cut);
        assert_int_equal(json_size(json_get(json_get(tree, "notes"), names[i])), 500);
    }
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
    assert_false(result_cut(buf_text(&result), NULL, LIMIT, &cut, &out));
    assert_int_equal(out.size + cut.count, 0);
}

int main(void)
{
    int failed = RUN_ROWS(rule_rows, rules_name_what_is_cut);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_rule_keeps_what_fits),
        cmocka_unit_test(a_rule_names_the_argument),
        cmocka_unit_test(odd_names_are_data),
        cmocka_unit_test(lists_keep_their_first_items),
        cmocka_unit_test(long_texts_are_left_out_whole),
        cmocka_unit_test(every_form_fits),
        cmocka_unit_test(what_cannot_be_cut_stays),
    };
    return failed + cmocka_run_group_tests(tests, NULL, NULL);
}
