/* tests/unit/text/yaml.c - YAML: the tree of a document, and where it is rejected. */
#include "text/yaml.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "rows.h"
#include "text/json.h"

static const struct accepted {
    const char *name;
    struct text input;
    const char *json;
} accepted[] = {
    { "nothing", TEXT(""), "null" },
    { "comments alone", TEXT("# a\n# b\n"), "null" },
    { "empty document", TEXT("---\n"), "null" },
    { "byte-order mark",
      TEXT("\xef\xbb\xbf"
           "a: 1"),
      "{\"a\":1}" },
    { "mapping and list", TEXT("a:\n  - 1\n  - b: x\n    c: []\nd: {e: f}\n"),
      "{\"a\":[1,{\"b\":\"x\",\"c\":[]}],\"d\":{\"e\":\"f\"}}" },
    { "nulls", TEXT("[~, null, Null, NULL, '', ]"), "[null,null,null,null,\"\"]" },
    { "value left out", TEXT("a:\nb: 1"), "{\"a\":null,\"b\":1}" },
    { "truth", TEXT("[true, True, TRUE, false, False, FALSE]"),
      "[true,true,true,false,false,false]" },
    { "words of YAML 1.1 stay text", TEXT("[yes, no, on, off, y, n, nULL, tRUE]"),
      "[\"yes\",\"no\",\"on\",\"off\",\"y\",\"n\",\"nULL\",\"tRUE\"]" },
    { "numbers of JSON", TEXT("[0, -0, 12, -3, 1.50, 1e3, -2.5E-1]"),
      "[0,0,12,-3,1.5,1000,-0.25]" },
    { "other numbers stay text", TEXT("[007, +1, .5, 1., 0x10, 0o7, 1_000, .inf, .nan, 1e, 1e3x]"),
      "[\"007\",\"+1\",\".5\",\"1.\",\"0x10\",\"0o7\",\"1_000\",\".inf\",\".nan\",\"1e\","
      "\"1e3x\"]" },
    { "what begins like a number", TEXT("[1.2.3.4, 2026-11-21, 12:30, '- ', -, -a, 5 %]"),
      "[\"1.2.3.4\",\"2026-11-21\",\"12:30\",\"- \",\"-\",\"-a\",\"5 %\"]" },
    { "greatest integers", TEXT("[9007199254740992, -9007199254740992]"),
      "[9007199254740992,-9007199254740992]" },
    { "greater ones stay text", TEXT("[9007199254740993, -9007199254740993, 1e400]"),
      "[\"9007199254740993\",\"-9007199254740993\",\"1e400\"]" },
    { "quoted is text", TEXT("['1', \"true\", '~', \"null\"]"), "[\"1\",\"true\",\"~\",\"null\"]" },
    { "blocks are text", TEXT("a: |\n  1\nb: >-\n  x\n  y\n"), "{\"a\":\"1\\n\",\"b\":\"x y\"}" },
    { "escapes", TEXT("\"\\x41\\u00e9\\U0001f600\\n\""), "\"A\u00e9\U0001f600\\n\"" },
    { "U+0000 in a text", TEXT("\"a\\0b\""), "\"a\\u0000b\"" },
    { "keys are text", TEXT("{200: a, true: b, ~: c, '': d}"),
      "{\"200\":\"a\",\"true\":\"b\",\"~\":\"c\",\"\":\"d\"}" },
    { "merge key is a key", TEXT("<<: {a: 1}"), "{\"<<\":{\"a\":1}}" },
    { "one key in several mappings", TEXT("a: {a: {a: 1}}\nb: [{a: 1}, {a: 2}]"),
      "{\"a\":{\"a\":{\"a\":1}},\"b\":[{\"a\":1},{\"a\":2}]}" },
    { "key of an inner mapping again", TEXT("{a: {b: 1}, b: 2}"), "{\"a\":{\"b\":1},\"b\":2}" },
    { "JSON", TEXT("{\"a\": [1, null, \"b\"]}"), "{\"a\":[1,null,\"b\"]}" },
    { "tag directive within a line", TEXT("a: x%TAG\nb: 'x%TAG'"),
      "{\"a\":\"x%TAG\",\"b\":\"x%TAG\"}" },
    { "directive", TEXT("%YAML 1.1\n---\na: 1\n...\n"), "{\"a\":1}" },
};

static void check_accepted(void **state)
{
    const struct accepted *row = *state;
    scoped(json_free) cJSON *tree = NULL;
    scoped(buf_free) struct buf json = BUF(1000);
    struct err err = { 0 };

    bool ok = yaml_parse(row->input, &tree, &err);
    assert_string_equal(err.message, "");
    assert_true(ok);
    assert_true(json_print(tree, &json));
    assert_string_equal(buf_str(&json), row->json);
}

#define FORBIDDEN "tags, anchors and aliases are not allowed"

static const struct refused {
    const char *name;
    struct text input;
    const char *message;
} refused[] = {
    { "list without end", TEXT("a: [1,\n  2"),
      "line 3, column 1: a comma or the closing bracket must stand here" },
    { "tab as indent", TEXT("a:\n\tb: 1"), "line 2, column 1: a tab may not indent" },
    { "text without end", TEXT("a: \"x"), "line 1, column 6: the quoted text does not end" },
    { "bad indent", TEXT("a: 1\n b: 2"),
      "line 2, column 3: a colon where no value may begin; quote the text" },
    { "anchor", TEXT("a: &x 1"), "line 1, column 4: " FORBIDDEN },
    { "anchor of a list", TEXT("a: &x [1]"), "line 1, column 4: " FORBIDDEN },
    { "anchor of a mapping", TEXT("&x {a: 1}"), "line 1, column 1: " FORBIDDEN },
    { "alias", TEXT("a: *x"), "line 1, column 4: " FORBIDDEN },
    { "alias as a key", TEXT("*x : 1"), "line 1, column 1: " FORBIDDEN },
    { "tag", TEXT("a: !!str 1"), "line 1, column 4: " FORBIDDEN },
    { "tag of a list", TEXT("!x [1]"), "line 1, column 1: " FORBIDDEN },
    { "tag of a mapping", TEXT("!x {a: 1}"), "line 1, column 1: " FORBIDDEN },
    { "tag directive", TEXT("%TAG ! a,1:\n---\na"), "line 1, column 1: a %TAG directive" },
    { "tag directive behind another line break", TEXT("#\xe2\x80\xa8%TAG ! a,1:\n---\na"),
      "line 1, column 3: a %TAG directive" },
    { "second document", TEXT("a: 1\n---\nb: 2"), "line 2, column 1: a second document" },
    { "key twice", TEXT("a: 1\nb:\n  c: 1\n  d: 2\n  c: 3"),
      "line 5, column 3: the key occurs twice in its mapping" },
    { "key twice, once in quotes", TEXT("{1: a, '1': b}"),
      "line 1, column 8: the key occurs twice in its mapping" },
    { "key twice around a mapping", TEXT("a: {b: 1}\na: {b: 1}"),
      "line 2, column 1: the key occurs twice in its mapping" },
    { "list as a key", TEXT("? [a]\n: 1"), "line 1, column 3: a key must be a scalar" },
    { "mapping as a key", TEXT("{{a: 1}: 2}"), "line 1, column 2: a key must be a scalar" },
    { "U+0000 in a key", TEXT("\"a\\0b\": 1"), "line 1, column 1: a key must not contain U+0000" },
    { "not UTF-8", TEXT("a: 1\n\u00e9: \xff"),
      "line 2, column 4: not UTF-8, or a control character" },
    { "control character", TEXT("a: \x01"), "line 1, column 4: not UTF-8, or a control character" },
    { "raw NUL", TEXT("a: \0"), "line 1, column 4: not UTF-8, or a control character" },
    { "UTF-16",
      TEXT("\xff\xfe"
           "a\0"),
      "line 1, column 1: not UTF-8, or a control character" },
};

static void check_refused(void **state)
{
    const struct refused *row = *state;
    cJSON *tree = NULL;
    struct err err = { 0 };

    assert_false(yaml_parse(row->input, &tree, &err));
    assert_null(tree);
    assert_int_equal(err.kind, ERR_INVALID_VALUE);
    assert_string_equal(err.message, row->message);
}

static bool parse_nested(int depth, struct err *err)
{
    scoped(buf_free) struct buf input = BUF(1000);
    scoped(json_free) cJSON *tree = NULL;
    for (int i = 0; i < depth; i++)
        buf_add_byte(&input, '[');
    for (int i = 0; i < depth; i++)
        buf_add_byte(&input, ']');
    return yaml_parse(buf_text(&input), &tree, err);
}

static void depth_is_bounded(void **state)
{
    (void)state;
    struct err err = { 0 };
    assert_true(parse_nested(JSON_DEPTH, &err));
    assert_false(parse_nested(JSON_DEPTH + 1, &err));
    assert_string_equal(err.message, "line 1, column 65: nested deeper than 64");
}

static void file_of(char path[static 32], const char *content)
{
    snprintf(path, 32, "/tmp/yaml-test-XXXXXX");
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, content, strlen(content)), strlen(content));
    close(fd);
}

static void errors_name_the_file(void **state)
{
    (void)state;
    char path[32];
    char want[160];
    scoped(json_free) cJSON *tree = NULL;
    struct err err = { 0 };

    file_of(path, "a: b");
    assert_true(yaml_load(path, &tree, &err));
    assert_string_equal(json_text(tree, "/a"), "b");
    unlink(path);
    json_free(&tree);

    file_of(path, "a: *b");
    snprintf(want, sizeof(want), "%s: line 1, column 4: " FORBIDDEN, path);
    assert_false(yaml_load(path, &tree, &err));
    assert_string_equal(err.message, want);
    unlink(path);

    snprintf(want, sizeof(want), "%s: cannot be opened: No such file or directory", path);
    assert_false(yaml_load(path, &tree, &err));
    assert_string_equal(err.message, want);
}

static void nodes_have_lines(void **state)
{
    static const struct {
        const char *pointer;
        size_t line;
    } lines[] = { { "", 2 },       { "/a", 2 },     { "/b", 3 },       { "/b/c", 3 },
                  { "/b/c/0", 4 }, { "/b/c/1", 5 }, { "/b/c/1/d", 5 }, { "/b/c/2", 7 },
                  { "/e e", 9 },   { "/f", 11 } };
    char path[32];
    scoped(json_free) cJSON *tree = NULL;
    struct err err = { 0 };
    (void)state;

    file_of(path, "# a\na: ~\nb: { c: [\n  x,\n  { d: 1 }, # y\n\n  [] ] }\n\n\"e e\": |\n  z: "
                  "z\nf:\n  - g\n");
    assert_true(yaml_load(path, &tree, &err));
    for (size_t i = 0; i < countof(lines); i++)
        assert_int_equal(yaml_line(path, tree, json_at(tree, lines[i].pointer)), lines[i].line);
    assert_int_equal(yaml_line(path, json_at(tree, "/b"), tree), 0);
    unlink(path);
    assert_int_equal(yaml_line(path, tree, tree), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(depth_is_bounded),
        cmocka_unit_test(errors_name_the_file),
        cmocka_unit_test(nodes_have_lines),
    };
    return RUN_ROWS(accepted, check_accepted) + RUN_ROWS(refused, check_refused) +
           cmocka_run_group_tests(tests, NULL, NULL);
}
