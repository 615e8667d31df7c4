/* tests/unit/svc-ai/model/json.c - JSON in the texts of models. */
#include "text/json.h"
#include "model/json/extract.h"
#include "model/json/repair.h"
#include "rows.h"

#include <string.h>

/* 'Single quotes' are literal here: models write them. */
static const struct row {
    const char *name;
    const char *text;
    const char *want; /* the first candidate; NULL: none */
    bool is_repaired;
} rows[] = {
    { "as it should be", "{\"a\":1}", "{\"a\":1}", false },
    { "blanks around", " \n{\"a\":1}\n", "{\"a\":1}", false },
    { "a list", "[1,2]", "[1,2]", false },
    { "a fence", "```json\n{\"a\":1}\n```", "{\"a\":1}", true },
    { "a fence without a word", "```\n{\"a\":1}\n```", "{\"a\":1}", true },
    { "a fence that does not end", "```json\n{\"a\":1}", "{\"a\":1}", true },
    { "prose around", "Here: {\"a\":1} and no more.", "{\"a\":1}", true },
    { "brackets in the prose", "See [1]: the answer is {\"a\":1}.", "[1]", true },
    { "a regular expression in the prose", "Match /[a-z]_/ against it.", NULL, false },
    { "and one that is a list without quotes", "It is ^[a, b]$, I say.", NULL, false },
    { "a valid list behind a slash", "One of a/[1,2].", "[1,2]", true },
    { "a list without quotes behind a colon", "It is: [a, b]", "[\"a\",\"b\"]", true },
    { "and on the next line", "I found.\n[a, b]", "[\"a\",\"b\"]", true },
    { "a fence behind brackets in the prose", "Of [x] I say\n```json\n{\"a\":1}\n```", "{\"a\":1}",
      true },
    { "a byte-order mark", "\xEF\xBB\xBF{\"a\":1}", "{\"a\":1}", true },
    { "JSON in a string", "\"{\\\"a\\\":1}\"", "{\"a\":1}", true },
    { "a comma too many", "{\"a\":[1,2,],}", "{\"a\":[1,2]}", true },
    { "commas in a row in a list: one may be missing", "[1,,2]", NULL, false },
    { "commas in a row in an object", "{\"a\":1,,\"b\":2}", "{\"a\":1,\"b\":2}", true },
    { "a comma too few", "{\"a\":1 \"b\":2}", "{\"a\":1,\"b\":2}", true },
    { "a comma too few between lines", "{\"a\":1\n\"b\":2}", "{\"a\":1,\"b\":2}", true },
    { "a comma too few behind a string", "{\"a\":\"x\"\n\"b\":2}", "{\"a\":\"x\",\"b\":2}", true },
    { "single quotes", "{'a':'it is'}", "{\"a\":\"it is\"}", true },
    { "an apostrophe in single quotes", "{'a':'it's so','b':1}", "{\"a\":\"it's so\",\"b\":1}",
      true },
    { "typographic quotes", "{“a”:“x”}", "{\"a\":\"x\"}", true },
    { "back quotes", "{`a`:`x`}", "{\"a\":\"x\"}", true },
    { "double quotes in single ones", "{'a':'say \"x\"'}", "{\"a\":\"say \\\"x\\\"\"}", true },
    { "quotes within", "{\"a\":\"he said \"yes\" to it\"}", "{\"a\":\"he said \\\"yes\\\" to it\"}",
      true },
    { "names without quotes", "{a:1,b_c:2}", "{\"a\":1,\"b_c\":2}", true },
    { "words without quotes", "{a:hello world,b:2}", "{\"a\":\"hello world\",\"b\":2}", true },
    { "Python's words", "{\"a\":True,\"b\":False,\"c\":None}",
      "{\"a\":true,\"b\":false,\"c\":null}", true },
    { "JavaScript's words", "{\"a\":undefined,\"b\":NaN,\"c\":-Infinity}",
      "{\"a\":null,\"b\":null,\"c\":null}", true },
    { "an equals sign", "{\"a\"=1}", "{\"a\":1}", true },
    { "an arrow", "{\"a\"=>1}", "{\"a\":1}", true },
    { "no value", "{\"a\":,\"b\":1}", "{\"a\":null,\"b\":1}", true },
    { "no colon", "{\"a\" \"b\"}", "{\"a\":\"b\"}", true },
    { "comments", "{/* x */\"a\":1, // y\n\"b\":2 # z\n}", "{\"a\":1,\"b\":2}", true },
    { "slashes in a string", "{'a':'http://x/#y'}", "{\"a\":\"http://x/#y\"}", true },
    { "a line end in a string", "{\"a\":\"x\ny\"}", "{\"a\":\"x\\ny\"}", true },
    { "a tab in a string", "{\"a\":\"x\ty\"}", "{\"a\":\"x\\ty\"}", true },
    { "an invalid escape", "{\"a\":\"\\d+\"}", "{\"a\":\"\\\\d+\"}", true },
    { "an escaped apostrophe", "{\"a\":\"it\\'s\"}", "{\"a\":\"it's\"}", true },
    { "half a surrogate", "{\"a\":\"\\ud83d\"}", "{\"a\":\"\xEF\xBF\xBD\"}", true },
    { "both halves", "{'a':'\\ud83d\\ude00'}", "{\"a\":\"\xF0\x9F\x98\x80\"}", true },
    { "\\u with too few digits", "{'a':'\\u12'}", NULL, false },
    { "strings added", "{\"a\":\"x\" +\n \"y\"}", "{\"a\":\"xy\"}", true },
    { "a bracket of the wrong kind", "{\"a\":[1,2}", "{\"a\":[1,2]}", true },
    { "a bracket too many", "{\"a\":1}}}", "{\"a\":1}", true },
    { "a name twice: the last stays", "{\"a\":1,\"a\":2}", "{\"a\":2}", true },
    { "numbers keep their digits", "[9007199254740993,1.10,-0.0,1E2,12345678901234567890.5,1e400]",
      "[9007199254740993,1.10,-0.0,1E2,12345678901234567890.5,1e400]", false },
    { "and in a repair", "[9007199254740993,1.10,1E2,]", "[9007199254740993,1.10,1E2]", true },
    { "no JSON", "I will not.", NULL, false },
    { "a number alone", "42", NULL, false },
    { "a string alone", "\"x\"", NULL, false },
    { "nothing", "", NULL, false },
};

static void check(void **state)
{
    const struct row *row = *state;
    struct extract extract = { .text = text_of(row->text) };
    scoped(json_free) cJSON *tree = NULL;
    scoped(buf_free) struct buf found = BUF(4096);
    bool ok = extract_next(&extract, &tree);
    assert_false(extract.repairs.is_cut);
    assert_int_equal(ok, row->want != NULL);
    if (!ok)
        return;
    json_print(tree, &found);
    assert_string_equal(buf_str(&found), row->want);
    assert_int_equal(extract.repairs.count > 0, row->is_repaired);
}

/* What ends inside something gives nothing, neither its beginning nor what is whole within. */
static void cut_texts_give_nothing(void **state)
{
    static const char *const whole[] = {
        "{\"data\":{\"d\":[{\"e\":\"f\"},1.5,true]},\"g\":\"h\"}",
        "{'a': [1, 2 ,], b: {c: hello world}, // d\n \"e\" : None }",
        "[[{\"a\":[]}],\"\\u00e4\",-1e5]",
    };
    (void)state;
    for (size_t i = 0; i < countof(whole); i++)
        for (size_t size = 1; size < strlen(whole[i]); size++) {
            static const char *const before[] = { "", "Here: ", "```json\n" };
            for (size_t k = 0; k < countof(before); k++) {
                scoped(buf_free) struct buf text = BUF(256);
                cJSON *tree = NULL;
                buf_add_str(&text, before[k]);
                buf_add(&text, whole[i], size);
                struct extract extract = { .text = buf_text(&text) };
                assert_false(extract_next(&extract, &tree));
                assert_true(extract.repairs.is_cut);
                assert_false(extract_next(&extract, &tree));
            }
        }
}

/* Strictly: text around it needs none. */
static void strict_ones_need_no_repair(void **state)
{
    static const struct {
        const char *text;
        bool is_taken;
    } texts[] = {
        { "{\"a\":1}", true },         { "Here: {\"a\":1}.", true }, { "```\n[1]\n```", true },
        { "\"{\\\"a\\\":1}\"", true }, { "{\"a\":1,}", false },      { "{'a':1}", false },
        { "{\"a\":[1}", false },       { "Here: {a:1}", false },     { "```\n{\"a\":NaN}", false },
        { "{\"a\":1", false },
    };
    (void)state;
    for (size_t i = 0; i < countof(texts); i++) {
        struct extract extract = { .text = text_of(texts[i].text), .must_be_strict = true };
        scoped(json_free) cJSON *tree = NULL;
        assert_int_equal(extract_next(&extract, &tree), texts[i].is_taken);
    }
}

/* Candidate after candidate, and an end. */
static void there_are_several(void **state)
{
    struct extract extract = { .text = TEXT("{'a':1} {'b':2} [3]") };
    const char *want[] = { "{\"a\":1}", "{\"b\":2}", "[3]" };
    cJSON *tree = NULL;
    (void)state;
    for (size_t i = 0; i < countof(want); i++) {
        scoped(buf_free) struct buf found = BUF(4096);
        assert_true(extract_next(&extract, &tree));
        json_print(tree, &found);
        json_free(&tree);
        assert_string_equal(buf_str(&found), want[i]);
    }
    assert_false(extract_next(&extract, &tree));
}

/* Depth is bounded, and so is the time for a repeated opening. */
static void hostile_texts_end(void **state)
{
    static const char *const parts[] = { "[", "{\"a\":", "\"", "\\", "/*", "'\" ", "{a:'" };
    (void)state;
    for (size_t i = 0; i < countof(parts); i++) {
        scoped(buf_free) struct buf text = BUF(EXTRACT_MAX_BYTES);
        while (buf_add_str(&text, parts[i]))
            ;
        struct extract extract = { .text = buf_text(&text) };
        cJSON *tree = NULL;
        for (int tries = 0; extract_next(&extract, &tree); tries++) {
            json_free(&tree);
            assert_true(tries <= EXTRACT_CANDIDATES + 2);
        }
    }
    scoped(buf_free) struct buf deep = BUF(1024);
    for (int i = 0; i < REPAIR_DEPTH + 1; i++)
        buf_add_byte(&deep, '[');
    scoped(buf_free) struct buf out = BUF(4096);
    size_t end;
    struct repairs repairs = { 0 };
    assert_false(repair_json(buf_text(&deep), &end, &out, &repairs));
    assert_int_equal(out.size, 0);
    deep.bytes[--deep.size] = '\0';
    assert_true(repair_json(buf_text(&deep), &end, &out, &repairs));
    assert_true(repairs.is_cut);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cut_texts_give_nothing),
        cmocka_unit_test(strict_ones_need_no_repair),
        cmocka_unit_test(there_are_several),
        cmocka_unit_test(hostile_texts_end),
    };
    int failed = RUN_ROWS(rows, check);
    failed += cmocka_run_group_tests(tests, NULL, NULL);
    return failed;
}
