/* svc-utils/json-to-code/tests/request.c - samples, targets, errors, and limits. */
#include <string.h>

#include "answer.h"
/* ---- the request ---- */

static const struct asked {
    const char *name;
    const char *body;
    const char *code;    /* NULL: success */
    const char *says;    /* a part of the error message, or of the TypeScript code */
    const char *targets; /* in the result; NULL: all */
} asked[] = {
    { "canonical name wins", "{'json':{'a':1},'sample':{'b':1}}", NULL, "b: number", NULL },
    { "then the aliases in their order", "{'input':{'a':1},'data':{'b':1},'value':{'c':1}}", NULL,
      "b: number", NULL },
    { "null is a sample", "{'sample':null}", NULL, "Root = null;", NULL },
    { "an inner name does not count", "{'x':{'sample':1}}", "missing_field", "sample", NULL },
    { "samples are one type", "{'samples':[{'a':1},{'a':2,'b':'x'}]}", NULL,
      "a: number;\n  b?: string;", NULL },
    { "samples of several kinds", "{'samples':[1,'x',null]}", NULL,
      "Root = number | string | null;", NULL },
    { "samples may be JSON in text", "{'samples':[{'a':1},'{\\u0022b\\u0022:1}']}", NULL,
      "a?: number;\n  b?: number;", NULL },
    { "their lists are one", "{'samples':[{'a':[{'x':1}]},{'a':[{'y':2}]}]}", NULL,
      "x?: number;\n  y?: number;", NULL },
    { "one sample", "{'samples':[{'a':1}]}", NULL, "a: number;", NULL },
    { "no samples", "{'samples':[]}", "too_few_items", "samples", NULL },
    { "samples no list", "{'samples':{}}", "invalid_type", "samples", NULL },
    { "sample and samples", "{'sample':null,'samples':[1]}", "conflicting_fields", "samples",
      NULL },
    { "an inner list of samples does not count", "{'x':{'samples':[1]}}", "missing_field",
      "samples", NULL },
    { "a broken one of them", "{'samples':['{']}", "invalid_sample", "line 1", NULL },
    { "text is a sample", "{'sample':'hello'}", NULL, "Root = string;", NULL },
    { "text may be JSON", "{'sample':' \\n{\\'a\\': 1.0}'}", NULL, "a: number", NULL },
    { "the last of repeated names wins", "{'sample':'{\\'a\\':1,\\'a\\':\\'x\\'}'}", NULL,
      "a: string", NULL },
    { "U+0000 in a text", "{'sample':['a\\u0000b']}", NULL, "Root = string[];", NULL },
    { "one target", "{'sample':1,'targets':'ts'}", NULL, "Root", "typescript " },
    { "several, in our order", "{'sample':1,'targets':['KT','golang','TypeScript','go']}", NULL,
      "Root", "typescript go kotlin " },
    { "none is all", "{'sample':1,'targets':[]}", NULL, "Root",
      "json-schema typescript go python rust kotlin " },
    { "null is all", "{'sample':1,'targets':null}", NULL, "Root",
      "json-schema typescript go python rust kotlin " },
    { "spellings", "{'sample':1,'targets':['JSON_Schema','ts']}", NULL, "Root",
      "json-schema typescript " },

    { "maps by pointer", "{'sample':{'a':{'x':1,'y':2}},'maps':['/a']}", NULL,
      "a: Record<string, number>;", NULL },
    { "maps in an array", "{'sample':{'a':[{'s':{'x':1}}]},'maps':['/a/*/s']}", NULL,
      "s: Record<string, number>;", NULL },
    { "maps in a map", "{'sample':{'1':{'x':1},'2':{'y':2}},'maps':['/1']}", NULL,
      "Root = Record<string, Record<string, number>>;", NULL },
    { "the root is a map", "{'sample':{'x':1,'y':'a'},'maps':['']}", NULL,
      "Root = Record<string, number | string>;", NULL },
    { "escapes of a pointer", "{'sample':{'a/b~':{'x':1}},'maps':['/a~1b~0']}", NULL,
      "Record<string, number>;", NULL },
    { "no object there", "{'sample':{'a':1},'maps':['/a']}", "invalid_value",
      "each of maps must be", NULL },
    { "an object without members", "{'sample':{'a':{}},'maps':['/a']}", "invalid_value",
      "each of maps must be", NULL },
    { "nothing there", "{'sample':{'a':{'x':1}},'maps':['/b']}", "invalid_value",
      "each of maps must be", NULL },
    { "no pointer", "{'sample':{'a':{'x':1}},'maps':['a']}", "invalid_value",
      "each of maps must be", NULL },
    { "a package", "{'sample':{},'targets':'go','package_name':'com.example.api'}", NULL,
      "package api\n", NULL },
    { "of Java", "{'sample':{'a':[1]},'targets':'java','package_name':'com.example.api'}", NULL,
      "package com.example.api;\n\nimport java.util.List;\n\npublic record", NULL },
    { "of Kotlin", "{'sample':1,'targets':'kt','package_name':'com.example.api'}", NULL,
      "package com.example.api\n\ntypealias Root", NULL },
    { "not of others", "{'sample':{},'targets':'ts','package_name':'api'}", NULL,
      "export interface Root", NULL },
    { "a keyword in it", "{'sample':{},'package_name':'com.int.api'}", "invalid_value",
      "package_name must not", NULL },
    { "uppercase in it", "{'sample':{},'package_name':'Com'}", "invalid_value", "package_name",
      NULL },

    { "no sample", "{'targets':'go'}", "missing_field", "sample", NULL },
    { "unknown target", "{'sample':1,'targets':'cobol'}", "invalid_value",
      "each of targets must be", NULL },
    { "one unknown", "{'sample':1,'targets':['go','']}", "invalid_value", "each of targets must be",
      NULL },
    { "no text as a target", "{'sample':1,'targets':[5]}", "invalid_type", "targets[0]", NULL },
    { "no name", "{'sample':1,'root_name':''}", "too_short", "root_name", NULL },
    { "broken JSON in a text", "{'sample':'{\\'a\\':1,\\n \\'b\\': }'}", "invalid_sample",
      "line 2, column 7: a value must stand here", NULL },
    { "columns count characters", "{'sample':'[\\'\u00e9\u00e9\\' 1]'}", "invalid_sample",
      "line 1, column 7: ", NULL },
    { "an array that does not end", "{'sample':' ['}", "invalid_sample", "it ends too early",
      NULL },
};

static void check_asked(void **state)
{
    const struct asked *row = *state;
    scoped(json_free) cJSON *result = json_object();
    scoped(buf_free) struct buf targets = BUF(1000);
    struct err err = { 0 };
    const cJSON *target;

    bool ok = run_tool(json_to_code, "json-to-code", row->body, result, NULL, &err);
    assert_string_equal(err_code(err.kind), row->code ? row->code : "");
    assert_int_equal(ok, row->code == NULL);
    if (!ok || json_text(result, "/code/typescript"))
        assert_non_null(
            strstr(ok ? json_text(result, "/code/typescript") : err.message, row->says));
    cJSON_ArrayForEach(target, json_at(result, "/targets"))
        buf_format(&targets, "%s ", json_text(target, ""));
    if (row->targets)
        assert_string_equal(buf_str(&targets), row->targets);
}

/* ---- limits ---- */

/* Append item count times; # in item becomes the number, ~ becomes that number of dashes. */
static void repeat(struct buf *out, const char *item, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        for (const char *c = item; *c; c++) {
            if (*c == '#')
                buf_format(out, "%zu", i);
            else if (*c != '~')
                buf_add_byte(out, *c);
            for (size_t dash = 0; *c == '~' && dash < i; dash++)
                buf_add_byte(out, '-');
        }
    }
}

static const struct large {
    const char *name;
    const char *before;
    const char *item; /* see repeat() */
    size_t count;
    const char *behind;
    const char *code; /* NULL: success */
} large[] = {
    { "as many types as may be", "{'sample':{", "'k#':{'f#':1},", 1999, "'z':1}}", NULL },
    { "one more", "{'sample':{", "'k#':{'f#':1},", 2000, "'z':1}}", "too_complex" },
    { "a map of more is one type", "{'sample':{", "'#':{'f':#},", 3000, "'9999':{}}}", NULL },
    { "names that all meet", "{'sample':{", "'a~':1,", 250, "'z':1}}", NULL },
    { "code that grows", "{'sample':{",
      "'k#':[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[["
      "#]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]],",
      600, "'z':1}}", "too_complex" },
    { "more notes than are shown", "{'sample':{", "'k#':null,", 300, "'z':1}}", NULL },
    { "deep text", "{'sample':'", "[", 65, "'}", "too_deep" },
};

static void check_large(void **state)
{
    const struct large *row = *state;
    scoped(buf_free) struct buf body = BUF(1 << 20);
    scoped(json_free) cJSON *result = json_object();
    struct err err = { 0 };

    buf_add_str(&body, row->before);
    repeat(&body, row->item, row->count);
    buf_add_str(&body, row->behind);
    bool ok = run_tool(json_to_code, "json-to-code", buf_str(&body), result, NULL, &err);
    assert_string_equal(err_code(err.kind), row->code ? row->code : "");
    assert_int_equal(ok, row->code == NULL);
    if (ok && strstr(row->name, "notes")) {
        assert_true(cJSON_True == json_at(result, "/truncated")->type);
        assert_non_null(json_at(result, "/notes/199"));
        assert_null(json_at(result, "/notes/200"));
    }
}

/* Above 100 fields Kotlin uses a map, because of a JVM limit. */
static void many_fields_in_kotlin(void **state)
{
    (void)state;
    for (size_t count = 100; count <= 101; count++) {
        scoped(buf_free) struct buf sample = BUF(10000);
        buf_add_str(&sample, "{");
        repeat(&sample, "'f#':1,", count - 1);
        buf_add_str(&sample, "'z':1}");
        scoped(json_free) cJSON *result = answer_sample(buf_str(&sample));
        bool is_map = strstr(json_text(result, "/code/kotlin"),
                             "typealias Root = Map<String, JsonElement>") != NULL;
        assert_int_equal(is_map, count == 101);
        assert_int_equal(json_at(result, "/notes/0") != NULL, count == 101);
    }
}

int main(void)
{
    const struct CMUnitTest singles[] = { cmocka_unit_test(many_fields_in_kotlin) };
    return RUN_ROWS(asked, check_asked) + RUN_ROWS(large, check_large) +
           cmocka_run_group_tests(singles, NULL, NULL);
}
