/* tests/unit/text/json.c - JSON trees: parsed, read, built, compared, printed. */
#include "text/json.h"

#include <limits.h>
#include <math.h>
#include <pthread.h>
#include <string.h>

#include "rows.h"

static cJSON *tree_of(const char *input)
{
    cJSON *tree = NULL;
    struct err err = { 0 };
    bool ok = json_parse(text_of(input), JSON_DEPTH, &tree, &err);
    assert_string_equal(err.message, "");
    assert_true(ok);
    return tree;
}

static void assert_prints(const cJSON *tree, const char *want)
{
    scoped(buf_free) struct buf out = BUF(1 << 20);
    assert_true(json_print(tree, &out));
    assert_string_equal(buf_str(&out), want);
}

/* ---- parsed and printed again ---- */

static const struct round_trip {
    const char *name;
    const char *input;
    const char *output; /* NULL: the same */
} trips[] = {
    { "words", "[null,true,false]", NULL },
    { "order of members", "{\"b\":1,\"a\":{\"d\":[],\"c\":{}}}", NULL },
    { "blanks go", " { \"a\" : [ 1 , 2 ] } ", "{\"a\":[1,2]}" },
    { "U+0000", "\"a\\u0000b\"", NULL },
    { "all escapes", "\"\\\"\\\\\\b\\f\\n\\r\\t\\u0001\\u001f\"", NULL },
    { "solidus and DEL need none", "\"\\/\x7f\"", "\"/\x7f\"" },
    { "UTF-8 stays", "\"\\u00e9\\ud83d\\ude00\"", "\"\u00e9\U0001f600\"" },
    { "names are escaped", "{\"a\\n\\\"\":1}", NULL },
    { "whole numbers", "[0,-1,256.0,2.56e2,9007199254740992,-9007199254740992]",
      "[0,-1,256,256,9007199254740992,-9007199254740992]" },
    { "minus zero", "-0", "0" },
    { "shortest decimals", "[0.1,0.30000000000000004,-2.5,1e-7,123456.789]",
      "[0.1,0.30000000000000004,-2.5,1e-07,123456.789]" },
    { "extremes", "[1.7976931348623157e308,5e-324,1e21]",
      "[1.7976931348623157e+308,4.94065645841247e-324,1e+21]" },
    { "too small becomes zero", "1e-999", "0" },
    { "integers beyond 2^53", "[9007199254740993,-18446744073709551615]", NULL },
    { "more digits than a double has", "[3.14159265358979323846]", NULL },
    { "beyond doubles digits stay", "[1e309,{\"a\":-1E+400}]", NULL },
};

static void check_trip(void **state)
{
    const struct round_trip *row = *state;
    scoped(json_free) cJSON *tree = tree_of(row->input);
    assert_prints(tree, row->output ? row->output : row->input);
}

/* ---- shown unchanged ---- */

static const struct shown {
    const char *name;
    const char *input;
    const char *output; /* NULL: the same */
    bool has_repeats;
} shown[] = {
    { "64-bit ids", "[12345678901234567890,-9223372036854775808]", NULL, false },
    { "decimals", "[1.0,0.10,1e2,-0,3.141592653589793238]", NULL, false },
    { "the last of a name stays", "{\"a\":1,\"b\":2,\"a\":3}", "{\"b\":2,\"a\":3}", true },
    { "one of them escaped", "{\"a\":1,\"\\u0061\":{}}", "{\"a\":{}}", true },
    { "of three too", "{\"a\":1,\"a\":[],\"a\":3.0}", "{\"a\":3.0}", true },
    { "deep within", "[{\"x\":{\"a\":[1],\"a\":[2]}}]", "[{\"x\":{\"a\":[2]}}]", true },
    { "a name in two objects", "[{\"a\":1},{\"a\":1}]", NULL, false },
};

static void check_shown(void **state)
{
    const struct shown *row = *state;
    scoped(json_free) cJSON *tree = NULL;
    struct err err = { 0 };
    bool has_repeats = !row->has_repeats;

    assert_true(json_parse_as_is(text_of(row->input), 8, &tree, &has_repeats, &err));
    assert_int_equal(has_repeats, row->has_repeats);
    scoped(json_free) cJSON *alias = json_alias(tree);
    scoped(json_free) cJSON *copy = json_copy(alias);
    assert_prints(tree, row->output ? row->output : row->input);
    assert_prints(alias, row->output ? row->output : row->input);
    assert_prints(copy, row->output ? row->output : row->input);
    assert_true(json_equal(alias, tree) && json_is(alias, copy->type));
    assert_ptr_equal(alias->child, tree->child);
    assert_true(copy->child != tree->child);
}

/* ---- rejected by the tree, and by json_check() as well ---- */

static const struct refused {
    const char *name;
    const char *input;
    const char *message;
} refused[] = {
    { "grammar", "[1,]", "invalid JSON at byte 3: a value must stand here" },
    { "grammar inside a member", "{\"a\":[{\"b\":\"c\",\"d\":x",
      "invalid JSON at byte 19: a value must stand here" },
    { "U+0000 in a name", "{\"a\":{\"b\\u0000\":1}}",
      "invalid JSON at byte 6: a name may not hold U+0000" },
};

static void check_refused(void **state)
{
    const struct refused *row = *state;
    struct text input = text_of(row->input);
    cJSON *tree = NULL;
    struct err err = { 0 };
    struct err again = { 0 };

    assert_false(json_parse(input, JSON_DEPTH, &tree, &err));
    assert_null(tree);
    assert_int_equal(err.kind, ERR_INVALID_JSON);
    assert_string_equal(err.message, row->message);
    assert_false(json_check(input, JSON_DEPTH, &again));
    assert_string_equal(again.message, row->message);
}

/* 308 nines are a double, 309 are not: both keep their digits, in a copy too. */
static void digits_without_end(void **state)
{
    (void)state;
    char digits[310] = "";
    memset(digits, '9', sizeof(digits) - 1);
    scoped(json_free) cJSON *large = tree_of(digits + 1);
    scoped(json_free) cJSON *beyond = tree_of(digits);
    scoped(json_free) cJSON *copy = json_copy(beyond);
    assert_true(isfinite(large->valuedouble));
    assert_prints(large, digits + 1);
    assert_true(isinf(beyond->valuedouble));
    assert_prints(beyond, digits);
    assert_prints(copy, digits);
}

/* ---- reading ---- */

static const struct look {
    const char *name;
    const char *pointer;
    const char *want; /* as JSON; NULL: nothing there */
} looks[] = {
    { "whole tree", "", "{\"a\":[1,{\"b\":\"x\"}],\"\":{\"c/d\":2},\"A\":3,\"01\":4}" },
    { "member", "/A", "3" },
    { "case counts", "/a", "[1,{\"b\":\"x\"}]" },
    { "item", "/a/0", "1" },
    { "through both", "/a/1/b", "\"x\"" },
    { "empty name", "/", "{\"c/d\":2}" },
    { "member that looks like an index", "/01", "4" },
    { "prefix of a name", "/0", NULL },
    { "past the end", "/a/2", NULL },
    { "name in a list", "/a/b", NULL },
    { "minus in a list", "/a/-1", NULL },
    { "below a scalar", "/A/x", NULL },
    { "below nothing", "/nope/x", NULL },
};

static void check_look(void **state)
{
    const struct look *row = *state;
    scoped(json_free) cJSON *tree = tree_of(looks[0].want);
    const cJSON *node = json_at(tree, row->pointer);
    assert_int_equal(node != NULL, row->want != NULL);
    if (node)
        assert_prints(node, row->want);
}

static void get_and_text(void **state)
{
    (void)state;
    scoped(json_free) cJSON *tree = tree_of("{\"a\":\"x\",\"n\":1,\"z\":\"p\\u0000q\"}");

    assert_string_equal(json_text(tree, "/a"), "x");
    assert_null(json_text(tree, "/n"));
    assert_null(json_text(tree, "/b"));
    assert_non_null(json_get(tree, "n"));
    assert_null(json_get(tree, "N"));
    assert_null(json_get(json_get(tree, "a"), "x"));
    assert_null(json_get(NULL, "x"));

    struct text text = json_text_of(json_get(tree, "z"));
    assert_int_equal(text.size, 3);
    assert_memory_equal(text.bytes, "p\0q", 4);
    assert_int_equal(json_text_of(json_get(tree, "n")).size, 0);
    assert_int_equal(json_text_of(NULL).size, 0);
}

static const struct integer {
    const char *name;
    const char *input;
    bool is_integer;
    int64_t value; /* as a member */
} integers[] = {
    { "whole", "256", true, 256 },
    { "whole with point", "256.0", true, 256 },
    { "whole with exponent", "2.56e2", true, 256 },
    { "negative", "-3", true, -3 },
    { "greatest", "9007199254740992", true, 9007199254740992 },
    { "least", "-9007199254740992", true, -9007199254740992 },
    { "too great", "9007199254740994", false, 0 },
    { "far too great", "1e300", false, 0 },
    { "beyond doubles", "1e999", false, 0 },
    { "fraction", "0.5", false, 0 },
    { "text", "\"256\"", false, 0 },
    { "true", "true", false, 0 },
};

static void check_integer(void **state)
{
    const struct integer *row = *state;
    scoped(json_free) cJSON *tree = tree_of(row->input);
    scoped(json_free) cJSON *object = json_object();
    assert_int_equal(json_is_integer(tree), row->is_integer);
    json_add(object, "n", json_copy(tree));
    assert_int_equal(json_integer(object, "n"), row->value);
    assert_int_equal(json_integer(object, "m"), 0);
    assert_int_equal(json_integer(tree, "n"), 0);
}

static const struct pair {
    const char *name;
    const char *a;
    const char *b;
    bool is_equal;
} pairs[] = {
    { "null", "null", "null", true },
    { "null and false", "null", "false", false },
    { "true and false", "true", "false", false },
    { "numbers by value", "1", "1.0", true },
    { "other numbers", "1", "1.5", false },
    { "number and text", "1", "\"1\"", false },
    { "texts", "\"a\\u0000b\"", "\"a\\u0000b\"", true },
    { "texts that differ after a NUL", "\"a\\u0000b\"", "\"a\\u0000c\"", false },
    { "texts of other length", "\"a\"", "\"ab\"", false },
    { "lists", "[1,[2]]", "[1,[2]]", true },
    { "order of lists counts", "[1,2]", "[2,1]", false },
    { "shorter list", "[1,2]", "[1]", false },
    { "longer list", "[1]", "[1,2]", false },
    { "order of members does not", "{\"a\":1,\"b\":{\"c\":2,\"d\":3}}",
      "{\"b\":{\"d\":3,\"c\":2},\"a\":1}", true },
    { "other value", "{\"a\":1,\"b\":2}", "{\"b\":2,\"a\":2}", false },
    { "other name", "{\"a\":1}", "{\"b\":1}", false },
    { "fewer members", "{\"a\":1,\"b\":2}", "{\"a\":1}", false },
    { "empty list and object", "[]", "{}", false },
};

static void check_pair(void **state)
{
    const struct pair *row = *state;
    scoped(json_free) cJSON *a = tree_of(row->a);
    scoped(json_free) cJSON *b = tree_of(row->b);
    assert_int_equal(json_equal(a, b), row->is_equal);
    assert_int_equal(json_equal(b, a), row->is_equal);
}

/* ---- building ---- */

static void build_all_kinds(void **state)
{
    (void)state;
    scoped(json_free) cJSON *tree = json_object();
    json_str(tree, "str", "a\"b");
    json_str(tree, "none", NULL);
    json_text_add(tree, "text", (struct text){ "a\0b", 3 });
    json_text_add(tree, "empty", (struct text){ NULL, 0 });
    json_int(tree, "int", -9007199254740991);
    json_num(tree, "num", 0.1);
    json_num(tree, "nan", NAN);
    json_num(tree, "infinity", -INFINITY);
    json_bool(tree, "yes", true);
    json_bool(tree, "no", false);
    json_null(tree, "null");
    json_int_if(tree, "known", true, 7);
    json_int_if(tree, "unknown", false, 7);
    json_bool_if(tree, "sure", true, false);
    json_bool_if(tree, "unsure", false, true);
    json_time(tree, "time", 1795258800000);
    json_time(tree, "too early", -62167219200001);
    json_time(tree, "too late", 253402300800000);
    json_str(json_map(tree, "map"), "x", "y");
    cJSON *list = json_list(tree, "list");
    json_int(json_item(list), "i", 1);
    json_item_str(list, "s");
    json_item_str(list, NULL);
    json_item_add(list, json_new_text(TEXT("t")));
    json_add(tree, "array", json_array());

    assert_prints(tree, "{\"str\":\"a\\\"b\",\"none\":null,\"text\":\"a\\u0000b\",\"empty\":\"\","
                        "\"int\":-9007199254740991,\"num\":0.1,\"nan\":null,\"infinity\":null,"
                        "\"yes\":true,\"no\":false,\"null\":null,"
                        "\"known\":7,\"unknown\":null,\"sure\":false,\"unsure\":null,"
                        "\"time\":\"2026-11-21T11:00:00.000Z\",\"too early\":null,\"too "
                        "late\":null,\"map\":{\"x\":\"y\"},"
                        "\"list\":[{\"i\":1},\"s\",null,\"t\"],\"array\":[]}");
}

static void copy_is_equal_and_apart(void **state)
{
    (void)state;
    const char *input = "{\"a\":[1,\"x\\u0000y\",{\"b\":null}],\"c\":true}";
    scoped(json_free) cJSON *tree = tree_of(input);
    scoped(json_free) cJSON *copy = json_copy(tree);
    json_free(&tree);
    assert_null(tree);
    assert_prints(copy, input);
}

static void print_stops_at_the_ceiling(void **state)
{
    (void)state;
    scoped(json_free) cJSON *tree = tree_of("[\"abcdef\",1]");
    scoped(buf_free) struct buf exact = BUF(12);
    scoped(buf_free) struct buf small = BUF(11);
    assert_true(json_print(tree, &exact));
    assert_false(json_print(tree, &small));
}

/* ---- all of it in a thread with the small stack of the HTTP server ---- */

#if defined(__SANITIZE_ADDRESS__) || defined(__clang__) /* whose frames are larger */
enum { STACK_BYTES = 1024 * 1024 };
#else
enum { STACK_BYTES = 64 * 1024 };
#endif
enum { DEEPEST = 256 };

static void *work_deep(void *ok)
{
    scoped(buf_free) struct buf input = BUF(10000);
    scoped(buf_free) struct buf output = BUF(10000);
    scoped(json_free) cJSON *tree = NULL;
    for (int i = 0; i < DEEPEST / 2; i++)
        buf_add_str(&input, "{\"a\":[");
    for (int i = 0; i < DEEPEST / 2; i++)
        buf_add_str(&input, "]}");
    if (json_parse(buf_text(&input), DEEPEST, &tree, NULL)) {
        scoped(json_free) cJSON *copy = json_copy(tree);
        *(bool *)ok = json_print(copy, &output) && json_equal(tree, copy) &&
                      strcmp(buf_str(&input), buf_str(&output)) == 0;
    }
    return NULL;
}

static void deep_tree_on_a_small_stack(void **state)
{
    (void)state;
    pthread_attr_t attributes;
    pthread_t thread;
    bool ok = false;
    pthread_attr_init(&attributes);
    assert_int_equal(pthread_attr_setstacksize(&attributes, STACK_BYTES), 0);
    assert_int_equal(pthread_create(&thread, &attributes, work_deep, &ok), 0);
    pthread_join(thread, NULL);
    pthread_attr_destroy(&attributes);
    assert_true(ok);
}

static void types(void **state)
{
    (void)state;
    scoped(json_free) cJSON *tree = tree_of("[null,true,false,1,\"\",[],{}]");
    static const int wanted[] = { cJSON_NULL,   cJSON_True,  cJSON_False, cJSON_Number,
                                  cJSON_String, cJSON_Array, cJSON_Object };
    size_t at = 0;
    const cJSON *item;
    cJSON_ArrayForEach(item, tree) {
        for (size_t i = 0; i < countof(wanted); i++)
            assert_int_equal(json_is(item, wanted[i]), i == at);
        at++;
    }
    assert_false(json_is(NULL, cJSON_NULL));
}

/* A text that belongs to another owner is not freed, so it shows any change. */
static void wiped(void **state)
{
    (void)state;
    cJSON *tree = tree_of("{\"a\":[\"se\\u0000cret\"]}");
    cJSON *node = tree->child->child;
    scoped(mem_free) char *text = node->valuestring;
    static const char zeros[7];

    node->type |= cJSON_IsReference;
    json_wipe(&tree);
    assert_null(tree);
    assert_memory_equal(text, zeros, sizeof(zeros));
    json_wipe(&tree); /* an empty one is fine */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(digits_without_end),
        cmocka_unit_test(get_and_text),
        cmocka_unit_test(build_all_kinds),
        cmocka_unit_test(copy_is_equal_and_apart),
        cmocka_unit_test(print_stops_at_the_ceiling),
        cmocka_unit_test(deep_tree_on_a_small_stack),
        cmocka_unit_test(types),
        cmocka_unit_test(wiped),
    };
    return RUN_ROWS(trips, check_trip) + RUN_ROWS(shown, check_shown) +
           RUN_ROWS(refused, check_refused) + RUN_ROWS(looks, check_look) +
           RUN_ROWS(integers, check_integer) + RUN_ROWS(pairs, check_pair) +
           cmocka_run_group_tests(tests, NULL, NULL);
}
