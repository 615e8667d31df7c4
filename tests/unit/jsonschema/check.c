/* tests/unit/jsonschema/check.c - values judged by schemas: verdicts, errors and their places. */
#include "jsonschema/validator.h"

#include "expect.h"

static struct validator *compiled(const cJSON *schema, enum schema_dialect dialect,
                                  struct subschema **top)
{
    const struct validator_options options = { .tree = &tree_json, .dialect = dialect };
    struct validator *validator = validator_new(&options);
    struct err err = { 0 };
    *top = validator_add(validator, TEXT(""), schema);
    bool ok = validator_compile(validator, &err);
    assert_string_equal(err.message, "");
    assert_true(ok);
    return validator;
}

/* ---- verdicts, with the first error ---- */

enum { D20 = SCHEMA_2020_12, D7 = SCHEMA_DRAFT_7, V30 = SCHEMA_OPENAPI_3_0 };

/* clang-format off */
static const struct row {
    const char *name;
    int dialect;
    const char *schema;
    const char *value;
    const char *want; /* "keyword place-of-value place-of-keyword", "?" undecided; NULL: it fits */
} rows[] = {
    { "true", D20, "true", "1", NULL },
    { "false", D20, "false", "1", "false  " },
    { "type", D20, "{'type':'string'}", "1", "type  /type" },
    { "one of the types", D20, "{'type':['string','null']}", "null", NULL },
    { "1.0 is an integer", D20, "{'type':'integer'}", "1.0", NULL },
    { "1e400 is an integer", D20, "{'type':'integer'}", "1e400", NULL },
    { "1.5 is not one", D20, "{'type':'integer'}", "1.5", "type  /type" },
    { "a digit beyond doubles", D20, "{'type':'integer'}", "9007199254740993.5", "type  /type" },
    { "const is exact", D20, "{'const':9007199254740993}", "9007199254740992", "const  /const" },
    { "const, spelled otherwise", D20, "{'const':9007199254740993}", "9007199254740993.0", NULL },
    { "enum is exact", D20, "{'enum':[1,[9007199254740993]]}", "[9007199254740992]", "enum  /enum" },
    { "objects in any order", D20, "{'const':{'a':1,'b':[null,true]}}", "{'b':[null,true],'a':1.0}", NULL },
    { "true is not 1", D20, "{'const':true}", "1", "const  /const" },
    { "maximum is exact", D20, "{'maximum':9007199254740992}", "9007199254740993", "maximum  /maximum" },
    { "minimum is exact", D20, "{'minimum':-9007199254740992}", "-9007199254740993", "minimum  /minimum" },
    { "exclusive", D20, "{'exclusiveMaximum':1e1}", "10", "exclusiveMaximum  /exclusiveMaximum" },
    { "exclusive, as OpenAPI 3.0 has it", V30, "{'minimum':1,'exclusiveMinimum':true}", "1", "minimum  /minimum" },
    { "0.3 is three times 0.1", D20, "{'multipleOf':0.1}", "0.3", NULL },
    { "0.35 is not", D20, "{'multipleOf':0.1}", "0.35", "multipleOf  /multipleOf" },
    { "multiples beyond doubles", D20, "{'multipleOf':3}", "9007199254740993", NULL },
    { "and their neighbours", D20, "{'multipleOf':3}", "9007199254740994", "multipleOf  /multipleOf" },
    { "lengths are code points", D20, "{'maxLength':2}", "'\u00e9\U0001f600'", NULL },
    { "a half length", D20, "{'minLength':2.0}", "'a'", "minLength  /minLength" },
    { "pattern", D20, "{'pattern':'^\\\\p{Letter}+$'}", "'a1'", "pattern  /pattern" },
    { "a pattern that nobody can match", D20, "{'pattern':'a{70000}'}", "'a'", "?" },
    { "not of what is unknown", D20, "{'not':{'pattern':'a{70000}'}}", "'a'", "?" },
    { "what contradicts for sure", D20, "{'pattern':'a{70000}','type':'null'}", "'a'", "type  /type" },
    { "formats are said, not asked", D20, "{'format':'date'}", "'x'", NULL },
    { "unique", D20, "{'uniqueItems':true}", "[1,[2],1.0]", "uniqueItems  /uniqueItems" },
    { "items behind prefixItems", D20, "{'prefixItems':[{'type':'null'}],'items':{'type':'number'}}", "[null,1,'a']", "type /2 /items/type" },
    { "items by position, in Draft-07", D7, "{'items':[{'type':'null'}],'additionalItems':false}", "[null,1]", "additionalItems /1 /additionalItems" },
    { "contains", D20, "{'contains':{'type':'null'},'maxContains':1}", "[null,1,null]", "maxContains  /contains" },
    { "required", D20, "{'required':['a']}", "{}", "required  /required" },
    { "properties", D20, "{'properties':{'a/b':{'maximum':1}}}", "{'a/b':2}", "maximum /a~1b /properties/a~1b/maximum" },
    { "patternProperties", D20, "{'patternProperties':{'^x':{'type':'null'}}}", "{'xy':2}", "type /xy /patternProperties/^x/type" },
    { "additionalProperties", D20, "{'properties':{'a':true},'patternProperties':{'^x':true},'additionalProperties':false}",
      "{'a':1,'x':1,'b':1}", "additionalProperties /b /additionalProperties" },
    { "propertyNames", D20, "{'propertyNames':{'maxLength':1}}", "{'ab':1}", "propertyNames  /propertyNames" },
    { "dependentRequired", D20, "{'dependentRequired':{'a':['b']}}", "{'a':1}", "dependentRequired  /dependentRequired" },
    { "dependentSchemas", D20, "{'dependentSchemas':{'a':{'required':['b']}}}", "{'a':1}", "required  /dependentSchemas/a/required" },
    { "dependencies, in Draft-07", D7, "{'dependencies':{'a':['b'],'c':{'required':['d']}}}", "{'c':1}", "required  /dependencies/c/required" },
    { "allOf says which", D20, "{'allOf':[true,{'type':'null'}]}", "1", "type  /allOf/1/type" },
    { "anyOf does not", D20, "{'anyOf':[{'type':'null'},false]}", "1", "anyOf  /anyOf" },
    { "oneOf", D20, "{'oneOf':[true,{'type':'number'}]}", "1", "oneOf  /oneOf" },
    { "not", D20, "{'not':{'type':'number'}}", "1", "not  /not" },
    { "then", D20, "{'if':{'type':'number'},'then':{'minimum':3}}", "1", "minimum  /then/minimum" },
    { "else", D20, "{'if':{'type':'null'},'else':false}", "1", "else  /else" },
    { "$ref", D20, "{'$ref':'#/$defs/a%20b','$defs':{'a b':{'type':'null'}}}", "1", "type  /$ref/type" },
    { "a neighbour of $ref", D20, "{'$ref':'#/$defs/a','maximum':0,'$defs':{'a':true}}", "1", "maximum  /maximum" },
    { "a $ref is alone in Draft-07", D7, "{'$ref':'#/definitions/a','maximum':0,'definitions':{'a':true}}", "1", NULL },
    { "$anchor and $id", D20, "{'$ref':'sub#x','$defs':{'s':{'$id':'sub','$defs':{'x':{'$anchor':'x','type':'null'}}}}}", "1", "type  /$ref/type" },
    { "an $id in a const does not count", D20, "{'$ref':'sub','$defs':{'s':{'const':{'$id':'sub','type':'null'}}}}", "1", "?" },
    { "a document that is not there", D20, "{'$ref':'https://example.com/schema'}", "1", "?" },
    { "$dynamicRef", D20, "{'$id':'tree','$ref':'list','$defs':{'own':{'$dynamicAnchor':'item','type':'string'},"
      "'list':{'$id':'list','items':{'$dynamicRef':'#item'},'$defs':{'any':{'$dynamicAnchor':'item'}}}}}", "[1]", "type /0 /$ref/items/$dynamicRef/type" },
    { "unevaluatedProperties", D20, "{'allOf':[{'properties':{'a':true}}],'unevaluatedProperties':false}", "{'a':1,'b':2}", "unevaluatedProperties /b /unevaluatedProperties" },
    { "what failed evaluates nothing", D20, "{'anyOf':[{'properties':{'a':{'type':'null'}}},true],'unevaluatedProperties':false}", "{'a':1}",
      "unevaluatedProperties /a /unevaluatedProperties" },
    { "unevaluatedItems", D20, "{'contains':{'type':'number'},'unevaluatedItems':{'type':'null'}}", "[1,null,'a']", "type /2 /unevaluatedItems/type" },
    { "a circle of references", D20, "{'$ref':'#'}", "1", "?" },
    { "a circle that goes down", D20, "{'items':{'$ref':'#'},'type':'array'}", "[[[],1]]", "type /0/1 /items/$ref/items/$ref/type" },
    { "nullable", V30, "{'type':'string','nullable':true,'enum':['a']}", "null", NULL },
    { "not nullable", V30, "{'type':'string'}", "null", "type  /type" },
    { "const is not a word of OpenAPI 3.0", V30, "{'const':1}", "2", NULL },
    { "another draft by its $schema", D20, "{'$schema':'http://json-schema.org/draft-07/schema#','items':[false]}", "[1]", "items /0 /items/0" },
};
/* clang-format on */

static bool note(void *context, const struct schema_error *error)
{
    struct buf *said = context;
    buf_format(said, "%s ", error->keyword);
    schema_place_write(error->place, said);
    buf_add_byte(said, ' ');
    schema_place_write(error->keyword_place, said);
    return true;
}

static void check(void **state)
{
    const struct row *row = *state;
    scoped(json_free) cJSON *source = quoted_tree(row->schema);
    scoped(json_free) cJSON *value = quoted_tree(row->value);
    scoped(buf_free) struct buf said = BUF(1000);
    struct subschema *schema;
    scoped(validator_free) struct validator *validator =
        compiled(source, (enum schema_dialect)row->dialect, &schema);
    struct validation validation = {
        .tree = &tree_json, .steps_left = VALIDATOR_STEPS, .report = note, .context = &said
    };
    enum schema_verdict verdict = validator_check(schema, value, &validation);
    if (verdict == SCHEMA_UNDECIDED)
        buf_add_str(&said, "?");
    assert_string_equal(buf_str(&said), row->want ? row->want : "");
    assert_int_equal(verdict == SCHEMA_FITS, row->want == NULL);
}

/* ---- all errors, in their order ---- */

static const char person[] =
    "{'type':'object','required':['name','age','mail'],'properties':{'name':{'type':'string',"
    "'minLength':3,'pattern':'^[a-z]+$'},'age':{'type':'integer'},'tags':{'items':{'type':'string'}"
    "}}}";

static bool name_all(void *context, const struct schema_error *error)
{
    struct buf *said = context;
    schema_place_write(error->place, said);
    buf_format(said, ":%s%s%.*s\n", error->keyword, error->missing.size > 0 ? " " : "",
               (int)error->missing.size, error->missing.bytes);
    return strcmp(error->keyword, "minLength") != 0;
}

static void all_errors(void **state)
{
    scoped(json_free) cJSON *source = quoted_tree(person);
    scoped(json_free) cJSON *value = quoted_tree("{'name':'A','tags':['a',1,2]}");
    scoped(buf_free) struct buf said = BUF(1000);
    struct subschema *schema;
    scoped(validator_free) struct validator *validator = compiled(source, SCHEMA_2020_12, &schema);
    struct validation validation = { .tree = &tree_json,
                                     .steps_left = VALIDATOR_STEPS,
                                     .wants_all = true,
                                     .report = name_all,
                                     .context = &said };
    (void)state;
    assert_int_equal(validator_check(schema, value, &validation), SCHEMA_FAILS);
    /* the name's pattern is not asked for: name_all() left the value */
    assert_string_equal(buf_str(&said), ":required mail\n/name:minLength\n:required age\n"
                                        "/tags/1:type\n/tags/2:type\n");
}

static void null_is_absent(void **state)
{
    scoped(json_free) cJSON *source = quoted_tree(person);
    scoped(json_free) cJSON *value = quoted_tree("{'name':'abc','age':null,'mail':1,'tags':null}");
    scoped(buf_free) struct buf said = BUF(1000);
    struct subschema *schema;
    scoped(validator_free) struct validator *validator = compiled(source, SCHEMA_2020_12, &schema);
    struct validation validation = { .tree = &tree_json,
                                     .steps_left = VALIDATOR_STEPS,
                                     .null_is_absent = true,
                                     .wants_all = true,
                                     .report = name_all,
                                     .context = &said };
    (void)state;
    assert_int_equal(validator_check(schema, value, &validation), SCHEMA_FAILS);
    assert_string_equal(buf_str(&said), ":required age\n");
}

/* ---- bounds ---- */

/* Every branch of every level is tried: 2^40 of them, had they no limit. */
static void steps_end(void **state)
{
    scoped(json_free) cJSON *source =
        quoted_tree("{'$defs':{'a':{'anyOf':[{'$ref':'#/$defs/b'},{'$ref':'#/$defs/b'}]},"
                    "'b':{'allOf':[{'not':{'$ref':'#/$defs/a'}},{'not':{'$ref':'#/$defs/a'}}]}},"
                    "'$ref':'#/$defs/a'}");
    scoped(json_free) cJSON *value = quoted_tree("[1,2]");
    struct subschema *schema;
    scoped(validator_free) struct validator *validator = compiled(source, SCHEMA_2020_12, &schema);
    struct validation validation = { .tree = &tree_json, .steps_left = 10000 };
    (void)state;
    assert_int_equal(validator_check(schema, value, &validation), SCHEMA_UNDECIDED);
    assert_int_equal(validation.steps_left, 0);
}

static bool is_even_text(void *context, struct text format, const void *value)
{
    (void)context;
    return !text_is(format, "even") || json_text_of(value).size % 2 == 0;
}

static void formats_of_the_caller(void **state)
{
    scoped(json_free) cJSON *source = quoted_tree("{'format':'even'}");
    scoped(json_free) cJSON *value = quoted_tree("'abc'");
    struct subschema *schema;
    scoped(validator_free) struct validator *validator = compiled(source, SCHEMA_2020_12, &schema);
    struct validation validation = { .tree = &tree_json,
                                     .steps_left = VALIDATOR_STEPS,
                                     .fits_format = is_even_text };
    (void)state;
    assert_int_equal(validator_check(schema, value, &validation), SCHEMA_FAILS);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_errors),
        cmocka_unit_test(null_is_absent),
        cmocka_unit_test(steps_end),
        cmocka_unit_test(formats_of_the_caller),
    };
    return RUN_ROWS(rows, check) + cmocka_run_group_tests(tests, NULL, NULL);
}
