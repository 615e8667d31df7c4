/* tests/unit/jsonschema/compile.c - rejected schemas, with the place; several documents. */
#include "jsonschema/validator.h"

#include "expect.h"

/* clang-format off */
static const struct row {
    const char *name;
    const char *schema;
    const char *want; /* the error; NULL: it compiles */
} rows[] = {
    { "nothing", "{}", NULL },
    { "unknown words", "{'x':1,'properties':{'a':{'y':{}}}}", NULL },
    { "a list", "[]", "# must be a schema" },
    { "an unknown type", "{'properties':{'a':{'type':'text'}}}", "#/properties/a/type must be a type's name or a list of them" },
    { "a bound that is text", "{'items':{'minimum':'1'}}", "#/items/minimum must be a number" },
    { "a size below nothing", "{'maxLength':-1}", "#/maxLength must be a whole number of 0 or more" },
    { "half a size", "{'maxLength':1.5}", "#/maxLength must be a whole number of 0 or more" },
    { "multiples of nothing", "{'multipleOf':0}", "#/multipleOf must be a number above 0" },
    { "an invalid pattern", "{'pattern':'('}", "#/pattern must be a regular expression" },
    { "invalid names", "{'required':['a',1]}", "#/required must be a list of names" },
    { "invalid names of a dependency", "{'dependentRequired':{'a':['b'],'c':[false,'b']}}", "#/dependentRequired must be schemas or lists of names" },
    { "no branch", "{'anyOf':[]}", "#/anyOf must be a list of schemas" },
    { "an invalid branch", "{'allOf':[true,1]}", "#/allOf must be a list of schemas" },
    { "invalid properties", "{'properties':{'a':1}}", "#/properties must be schemas by name" },
    { "in a list, behind a slash", "{'allOf':[{},{'$defs':{'a/b':{'not':1}}}]}", "#/allOf/1/$defs/a~1b/not must be a schema" },
    { "a target that only a reference makes one", "{'$ref':'#/x/y','x':{'y':{'type':1}}}", "#/x/y/type must be a type's name or a list of them" },
};
/* clang-format on */

static void check(void **state)
{
    const struct row *row = *state;
    const struct validator_options options = { .tree = &tree_json, .dialect = SCHEMA_2020_12 };
    scoped(json_free) cJSON *source = quoted_tree(row->schema);
    scoped(validator_free) struct validator *validator = validator_new(&options);
    struct err err = { 0 };
    (void)!validator_add(validator, TEXT(""), source);
    bool ok = validator_compile(validator, &err);
    assert_string_equal(err.message, row->want ? row->want : "");
    assert_int_equal(ok, row->want == NULL);
}

static void documents(void **state)
{
    const struct validator_options options = { .tree = &tree_json, .dialect = SCHEMA_2020_12 };
    scoped(json_free) cJSON *one = quoted_tree("{'$ref':'other.json#/$defs/word'}");
    scoped(json_free) cJSON *other = quoted_tree("{'$defs':{'word':{'type':'string'}}}");
    scoped(json_free) cJSON *value = quoted_tree("1");
    scoped(validator_free) struct validator *validator = validator_new(&options);
    struct validation validation = { .tree = &tree_json, .steps_left = VALIDATOR_STEPS };
    struct err err = { 0 };
    (void)state;
    struct subschema *schema =
        validator_add(validator, TEXT("https://example.com/a/one.json"), one);
    (void)!validator_add(validator, TEXT("https://example.com/a/other.json"), other);
    assert_true(validator_compile(validator, &err));
    assert_int_equal(validator_check(schema, value, &validation), SCHEMA_FAILS);
}

/* A validator of foreign references compiles what it needs, and ignores other errors. */
static const void *first_definition(const void *schema)
{
    return json_get(schema, "target");
}

static void late(void **state)
{
    const struct validator_options options = { .tree = &tree_json,
                                               .dialect = SCHEMA_2020_12,
                                               .resolve = first_definition };
    scoped(json_free) cJSON *source = quoted_tree("{'minimum':'x','properties':{'a':{'$ref':'?','"
                                                  "target':{'type':'null'}},'b':{'$ref':'?'}}}");
    scoped(json_free) cJSON *good = quoted_tree("{'a':null,'b':1}");
    scoped(json_free) cJSON *bad = quoted_tree("{'a':1}");
    scoped(validator_free) struct validator *validator = validator_new(&options);
    struct validation validation = { .tree = &tree_json, .steps_left = VALIDATOR_STEPS };
    struct subschema *schema = validator_add(validator, TEXT(""), source);
    (void)state;
    assert_int_equal(validator_check(schema, good, &validation), SCHEMA_UNDECIDED);
    assert_int_equal(validator_check(schema, bad, &validation), SCHEMA_FAILS);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(documents),
        cmocka_unit_test(late),
    };
    return RUN_ROWS(rows, check) + cmocka_run_group_tests(tests, NULL, NULL);
}
