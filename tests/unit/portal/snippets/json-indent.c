/* tests/unit/portal/snippets/json-indent.c - the same tokens on more lines. */
#include "portal/snippets/json-indent.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "rows.h"

static const struct row {
    const char *name;
    const char *json;
    const char *want;
} rows[] = {
    { "a number keeps its digits", "1.10", "1.10" },
    { "a large id", "{\"id\":175928847299117063000}", "{\n  \"id\": 175928847299117063000\n}" },
    { "nested", "{\"a\":[1,{\"b\":null}]}",
      "{\n  \"a\": [\n    1,\n    {\n      \"b\": null\n    }\n  ]\n}" },
    { "empty ones stay on their line", "{\"a\":[],\"b\":{ }}", "{\n  \"a\": [],\n  \"b\": {}\n}" },
    { "marks in a string do not count", "[\"{,:}[]\"]", "[\n  \"{,:}[]\"\n]" },
    { "an escaped quote does not end it", "[\"a\\\"],\",2]", "[\n  \"a\\\"],\",\n  2\n]" },
    { "a backslash before the end", "[\"a\\\\\",2]", "[\n  \"a\\\\\",\n  2\n]" },
    { "blanks between tokens go", " [ 1 ,\n 2 ] ", "[\n  1,\n  2\n]" },
    { "blanks in a string stay", "[\"a  b\"]", "[\n  \"a  b\"\n]" },
    { "no JSON: a string without its end", "[\"a", "[\n  \"a" },
    { "no JSON: brackets that were never opened", "]]", "\n]\n]" },
    { "nothing", "", "" },
};

static void check(void **state)
{
    const struct row *row = *state;
    scoped(buf_free) struct buf out = BUF(1 << 10);
    assert_true(json_indent(text_of(row->json), &out));
    assert_string_equal(buf_str(&out), row->want);
}

static void what_does_not_fit_is_reported(void **state)
{
    (void)state;
    scoped(buf_free) struct buf out = BUF(4);
    assert_false(json_indent(TEXT("[1,2,3]"), &out));
}

/* 64 KB of brackets: levels above 64 are not indented further, so the text is bounded. */
static void depth_does_not_square_the_size(void **state)
{
    (void)state;
    enum { LEVELS = 1 << 16 };
    scoped(mem_free) char *deep = mem_new(LEVELS + 1);
    scoped(buf_free) struct buf out = BUF(LEVELS * 200);
    memset(deep, '[', LEVELS);
    assert_true(json_indent(text_of(deep), &out));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_does_not_fit_is_reported),
        cmocka_unit_test(depth_does_not_square_the_size),
    };
    return cmocka_run_group_tests(tests, NULL, NULL) + RUN_ROWS(rows, check);
}
