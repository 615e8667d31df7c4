/* tests/unit/svc-ai/model/shape.c - answers are fitted to their shape, or rejected. */
#include "model/shape.h"

#include "tool.h"

#define OF(of) "{'properties':{'a':" of "}}"

static const struct row {
    const char *name;
    const char *shape; /* 'single quotes' are double ones, here and below */
    const char *answer;
    const char *want; /* NULL: it does not fit */
} rows[] = {
    { "as it should be", OF("{'type':'string'}"), "{'a':'x'}", "{'a':'x'}" },
    { "what nobody asked for goes", OF("{'type':'string'}"), "{'b':1,'a':'x','c':{}}",
      "{'a':'x'}" },
    { "it is missing", OF("{'type':'string'}"), "{}", NULL },
    { "it has a default", OF("{'type':'string','default':'d'}"), "{}", "{'a':'d'}" },
    { "null takes the default", OF("{'type':'string','default':'d'}"), "{'a':null}", "{'a':'d'}" },
    { "null may be", OF("{'type':['string','null']}"), "{'a':null}", "{'a':null}" },
    { "what may be null may be missing", OF("{'type':['string','null']}"), "{}", "{'a':null}" },
    { "null for a text is an empty one", OF("{'type':'string'}"), "{'a':null}", "{'a':''}" },
    { "but not where it must say something", OF("{'type':'string','minLength':1}"), "{'a':null}",
      NULL },
    { "a number for a text", OF("{'type':'string'}"), "{'a':7}", "{'a':'7'}" },
    { "a truth for a text", OF("{'type':'string'}"), "{'a':true}", NULL },
    { "a list for a text", OF("{'type':'string'}"), "{'a':[1]}", NULL },
    { "a text for a number", OF("{'type':'integer'}"), "{'a':' 7 '}", "{'a':7}" },
    { "7.0 is whole", OF("{'type':'integer'}"), "{'a':7.0}", "{'a':7}" },
    { "7.5 is not", OF("{'type':'integer'}"), "{'a':7.5}", NULL },
    { "words for a number", OF("{'type':'number'}"), "{'a':'seven'}", NULL },
    { "more than there is", OF("{'type':'number'}"), "{'a':1e400}", NULL },
    { "above the range", OF("{'type':'integer','minimum':0,'maximum':9}"), "{'a':70}", "{'a':9}" },
    { "below it", OF("{'type':'integer','minimum':0,'maximum':9}"), "{'a':-1}", "{'a':0}" },
    { "null for a number", OF("{'type':'number'}"), "{'a':null}", NULL },
    { "true in words", OF("{'type':'boolean'}"), "{'a':'True'}", "{'a':true}" },
    { "yes is not a boolean", OF("{'type':'boolean'}"), "{'a':'yes'}", NULL },
    { "a text that is too long", OF("{'type':'string','maxLength':11}"), "{'a':'one two three'}",
      "{'a':'one two…'}" },
    { "a word of enum", OF("{'enum':['not-now','never']}"), "{'a':'Not Now'}", "{'a':'not-now'}" },
    { "by a synonym", OF("{'enum':['high'],'synonyms':{'major':'high'}}"), "{'a':'MAJOR'}",
      "{'a':'high'}" },
    { "no word of enum", OF("{'enum':['high']}"), "{'a':'low'}", NULL },
    { "then the default", OF("{'enum':['high'],'default':'high'}"), "{'a':'low'}", "{'a':'high'}" },
    { "one for a list", OF("{'items':{'type':'string'}}"), "{'a':'x'}", "{'a':['x']}" },
    { "null for a list", OF("{'items':{'type':'string'}}"), "{'a':null}", "{'a':[]}" },
    { "a list that is too long", OF("{'items':{'type':'string'},'maxItems':1}"), "{'a':['x','y']}",
      "{'a':['x']}" },
    { "what is cut off may be wrong", OF("{'items':{'type':'string'},'maxItems':1}"),
      "{'a':['x',{}]}", "{'a':['x']}" },
    { "a list that is too short", OF("{'items':{'type':'string'},'minItems':2}"), "{'a':['x']}",
      NULL },
    { "an item that does not fit", OF("{'items':{'type':'number'}}"), "{'a':[1,'x']}", NULL },
    { "an object in a list alone", OF("{'items':{'properties':{'b':{'type':'integer'}}}}"),
      "{'a':{'b':1}}", "{'a':[{'b':1}]}" },
    { "members in the order of the shape",
      "{'properties':{'a':{'type':'integer'},'b':{'type':'integer'}}}", "{'b':2,'a':1}",
      "{'a':1,'b':2}" },
    { "what nobody sees goes", OF("{'type':'string'}"), "{'a':'x\\u200b\\u202ey\\u0007'}",
      "{'a':'xy'}" },
    { "a list on top", OF("{'type':'string'}"), "[1]", NULL },
};

static void parse_quoted(const char *text, cJSON **tree)
{
    scoped(buf_free) struct buf json = BUF(4096);
    struct err err = { 0 };
    add_quoted(&json, text);
    if (!json_parse(buf_text(&json), JSON_DEPTH, tree, &err))
        fail_msg("%s: %s", text, err.message);
}

static void check(void **state)
{
    const struct row *row = *state;
    scoped(json_free) cJSON *tree = NULL;
    scoped(json_free) cJSON *answer = NULL;
    scoped(shape_free) struct shape *shape = NULL;
    scoped(buf_free) struct buf complaint = BUF(4096);
    scoped(buf_free) struct buf found = BUF(4096);
    scoped(buf_free) struct buf want = BUF(4096);
    struct err err = { 0 };
    parse_quoted(row->shape, &tree);
    parse_quoted(row->answer, &answer);
    if (!shape_new(tree, &shape, &err))
        fail_msg("%s", err.message);
    scoped(json_free) cJSON *fitted = shape_fit(shape, answer, &complaint);
    assert_int_equal(fitted != NULL, row->want != NULL);
    assert_int_equal(complaint.size > 0, row->want == NULL);
    if (!fitted)
        return;
    add_quoted(&want, row->want);
    json_print(fitted, &found);
    assert_string_equal(buf_str(&found), buf_str(&want));
}

/* Errors name the place: the model reads them. */
static void complaints_name_places(void **state)
{
    scoped(json_free) cJSON *tree = NULL;
    scoped(json_free) cJSON *answer = NULL;
    scoped(shape_free) struct shape *shape = NULL;
    scoped(buf_free) struct buf complaint = BUF(4096);
    struct err err;
    (void)state;
    parse_quoted(OF("{'items':{'properties':{'b':{'type':'integer'},'c':{'type':'integer'}}}}"),
                 &tree);
    parse_quoted("{'a':[{'b':1,'c':2},{'b':'x'}]}", &answer);
    assert_true(shape_new(tree, &shape, &err));
    scoped(json_free) cJSON *fitted = shape_fit(shape, answer, &complaint);
    assert_null(fitted);
    assert_string_equal(buf_str(&complaint), "- a[1].b: must be a number\n- a[1].c: is missing\n");
}

/* Providers get the subset that all of them enforce. */
static void schemas_are_strict(void **state)
{
    scoped(json_free) cJSON *tree = NULL;
    scoped(shape_free) struct shape *shape = NULL;
    scoped(buf_free) struct buf found = BUF(4096);
    scoped(buf_free) struct buf want = BUF(4096);
    struct err err;
    (void)state;
    parse_quoted("{'properties':{'a':{'enum':['x','y'],'default':'x','synonyms':{'z':'x'}},"
                 "'b':{'items':{'type':['integer','null'],'minimum':0,'maximum':9},'maxItems':3}}}",
                 &tree);
    assert_true(shape_new(tree, &shape, &err));
    scoped(json_free) cJSON *schema = shape_schema(shape);
    add_quoted(&want, "{'type':'object','properties':{'a':{'type':'string','enum':['x','y']},"
                      "'b':{'type':'array','description':'0 to 3 items',"
                      "'items':{'type':['null','integer'],'description':'0 to 9'}}},"
                      "'required':['a','b'],'additionalProperties':false}");
    json_print(schema, &found);
    assert_string_equal(buf_str(&found), buf_str(&want));
}

static void wrong_shapes_are_rejected(void **state)
{
    static const char *const wrong[] = {
        "{'type':'string'}",
        "{'properties':[]}",
        OF("{}"),
        OF("{'type':'text'}"),
        OF("{'type':'array'}"),
        OF("{'enum':[]}"),
        OF("{'enum':[1]}"),
        OF("{'typ':'string'}"),
        OF("3"),
        OF(OF(OF(OF(OF(OF(OF(OF("{'type':'string'}")))))))),
    };
    (void)state;
    for (size_t i = 0; i < countof(wrong); i++) {
        scoped(json_free) cJSON *tree = NULL;
        scoped(shape_free) struct shape *shape = NULL;
        struct err err = { 0 };
        parse_quoted(wrong[i], &tree);
        assert_false(shape_new(tree, &shape, &err));
        assert_int_equal(err.kind, ERR_INVALID_VALUE);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(complaints_name_places),
        cmocka_unit_test(schemas_are_strict),
        cmocka_unit_test(wrong_shapes_are_rejected),
    };
    int failed = RUN_ROWS(rows, check);
    failed += cmocka_run_group_tests(tests, NULL, NULL);
    return failed;
}
