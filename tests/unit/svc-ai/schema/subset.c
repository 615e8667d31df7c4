/* tests/unit/svc-ai/schema/subset.c - customers' schemas: accepted, rejected, applied to values. */
#include "schema/subset.h"

#include "schema/format.h"
#include "tool.h"

static cJSON *tree_of(const char *quoted)
{
    scoped(buf_free) struct buf text = BUF(1 << 16);
    cJSON *tree = NULL;
    struct err err = { 0 };
    add_quoted(&text, quoted);
    bool ok = json_parse(buf_text(&text), JSON_DEPTH, &tree, &err);
    assert_string_equal(err.message, "");
    assert_true(ok);
    return tree;
}

/* clang-format off */
#define OBJECT(properties) "{'type':'object','properties':{" properties "}}"

static const struct row {
    const char *name;
    const char *schema;
    enum err_kind want;
    const char *says; /* in the message */
} rows[] = {
    { "an object", OBJECT("'a':{'type':'string'}"), ERR_NONE, "" },
    { "without the word", "{'properties':{'a':{'type':'string'}}}", ERR_NONE, "" },
    { "a list of objects", "{'type':'array','items':" OBJECT("'a':{'type':'string'}") "}", ERR_NONE, "" },
    { "a list of texts", "{'type':'array','items':{'type':'string'}}", ERR_INVALID_SCHEMA, "schema must describe an object" },
    { "a text", "{'type':'string'}", ERR_INVALID_SCHEMA, "schema must describe an object" },
    { "nothing", "{}", ERR_INVALID_SCHEMA, "schema must have a type" },
    { "no properties", "{'type':'object'}", ERR_INVALID_SCHEMA, "must have properties" },
    { "every word", "{'$schema':'x','type':'object','title':'t','description':'d','required':['a'],'additionalProperties':false,"
      "'properties':{'a':{'type':['string','null'],'minLength':1,'maxLength':2,'format':'date','enum':['x',null]},"
      "'b':{'type':'number','minimum':1,'maximum':2},'c':{'type':'array','items':{'type':'integer'},'minItems':0,'maxItems':9},"
      "'d':{'const':7,'examples':[1],'$comment':'c'}}}", ERR_NONE, "" },
    { "$ref to the top", OBJECT("'a':{'$ref':'#'}"), ERR_UNSUPPORTED_SCHEMA, "schema.a.$ref must name" },
    { "$ref elsewhere", OBJECT("'a':{'$ref':'https://example.com/s.json'}"), ERR_UNSUPPORTED_SCHEMA, "schema.a.$ref must name" },
    { "$ref to a property", OBJECT("'a':{'$ref':'#/properties/a'}"), ERR_UNSUPPORTED_SCHEMA, "schema.a.$ref must name" },
    { "$ref into a definition", OBJECT("'a':{'$ref':'#/definitions/b/items'}"), ERR_UNSUPPORTED_SCHEMA, "schema.a.$ref must name" },
    { "$ref to nothing", OBJECT("'a':{'$ref':'#/definitions/b'}"), ERR_INVALID_SCHEMA, "schema.a.$ref names no schema" },
    { "$ref to a definition", "{'definitions':{'b':{'type':'string'}},'properties':{'a':{'$ref':'#/definitions/b'}}}", ERR_NONE, "" },
    { "$ref to $defs", "{'$defs':{'b':{'type':'string'}},'properties':{'a':{'$ref':'#/$defs/b'}}}", ERR_NONE, "" },
    { "the top is a $ref", "{'$ref':'#/$defs/b','$defs':{'b':" OBJECT("'a':{'type':'string'}") "}}", ERR_NONE, "" },
    { "a $ref to a $ref", "{'$defs':{'b':{'$ref':'#/$defs/c'},'c':{'type':'string'}},'properties':{'a':{'$ref':'#/$defs/b'}}}", ERR_NONE, "" },
    { "a $ref to itself", "{'$defs':{'b':{'$ref':'#/$defs/b'}},'properties':{'a':{'$ref':'#/$defs/b'}}}", ERR_UNSUPPORTED_SCHEMA, "schema.a.$ref contains itself" },
    { "a circle", "{'$defs':{'b':{'type':'object','properties':{'c':{'type':'array','items':{'$ref':'#/$defs/b'}}}}},'properties':{'a':{'$ref':'#/$defs/b'}}}",
      ERR_UNSUPPORTED_SCHEMA, "schema.a.c.items.$ref contains itself" },
    { "twice is not a circle", "{'$defs':{'b':{'type':'string'}},'properties':{'a':{'$ref':'#/$defs/b'},'c':{'$ref':'#/$defs/b'}}}", ERR_NONE, "" },
    { "a keyword next to $ref", "{'$defs':{'b':{'type':'string'}},'properties':{'a':{'$ref':'#/$defs/b','maxLength':3}}}", ERR_UNSUPPORTED_SCHEMA, "schema.a.$ref must not" },
    { "words next to $ref", "{'$defs':{'b':{'type':'string'}},'properties':{'a':{'$ref':'#/$defs/b','description':'d','default':'x'}}}", ERR_NONE, "" },
    { "a definition that is not used", "{'$defs':{'b':{'anyOf':[]}},'properties':{'a':{'type':'string'}}}", ERR_NONE, "" },
    { "one that is", "{'$defs':{'b':{'anyOf':[]}},'properties':{'a':{'$ref':'#/$defs/b'}}}", ERR_UNSUPPORTED_SCHEMA, "schema.a.anyOf" },
    { "annotations", "{'$id':'x','$schema':'y','default':{},'properties':{'a':{'type':'string','default':'x','readOnly':true,'deprecated':false,'x-order':1,"
      "'examples':['e'],'example':'e','$comment':'c','contentMediaType':'text/plain','propertyOrdering':['a'],'kind':'currency'}}}", ERR_NONE, "" },
    { "uniqueItems", OBJECT("'a':{'type':'array','items':{'type':'string'},'uniqueItems':true}"), ERR_UNSUPPORTED_SCHEMA, "schema.a.uniqueItems" },
    { "exclusiveMinimum", OBJECT("'a':{'type':'number','exclusiveMinimum':0}"), ERR_UNSUPPORTED_SCHEMA, "schema.a.exclusiveMinimum" },
    { "nullable", OBJECT("'a':{'type':'string','nullable':true}"), ERR_UNSUPPORTED_SCHEMA, "schema.a.nullable" },
    { "pattern", OBJECT("'a':{'type':'string','pattern':'a'}"), ERR_UNSUPPORTED_SCHEMA, "schema.a.pattern" },
    { "anyOf", OBJECT("'a':{'anyOf':[]}"), ERR_UNSUPPORTED_SCHEMA, "schema.a.anyOf" },
    { "oneOf", "{'oneOf':[]}", ERR_UNSUPPORTED_SCHEMA, "schema.oneOf" },
    { "allOf", "{'allOf':[]}", ERR_UNSUPPORTED_SCHEMA, "schema.allOf" },
    { "not", "{'not':{}}", ERR_UNSUPPORTED_SCHEMA, "schema.not" },
    { "if", "{'if':{}}", ERR_UNSUPPORTED_SCHEMA, "schema.if" },
    { "patternProperties", "{'type':'object','patternProperties':{}}", ERR_UNSUPPORTED_SCHEMA, "schema.patternProperties" },
    { "deep inside", OBJECT("'a':{'type':'array','items':{'type':'string','pattern':'a'}}"), ERR_UNSUPPORTED_SCHEMA, "schema.a.items.pattern" },
    { "more members welcome", "{'type':'object','properties':{'a':{'type':'string'}},'additionalProperties':true}", ERR_NONE, "" },
    { "more members of a form", "{'type':'object','properties':{'a':{'type':'string'}},'additionalProperties':{'type':'string'}}", ERR_UNSUPPORTED_SCHEMA, "additionalProperties" },
    { "another format", OBJECT("'a':{'type':'string','format':'hostname'}"), ERR_UNSUPPORTED_SCHEMA, "schema.a.format" },
    { "another type", OBJECT("'a':{'type':'text'}"), ERR_INVALID_SCHEMA, "schema.a must have a known type" },
    { "no type", OBJECT("'a':{}"), ERR_INVALID_SCHEMA, "schema.a must have a type" },
    { "a schema that is true", OBJECT("'a':true"), ERR_INVALID_SCHEMA, "schema.a must be a schema" },
    { "a list without items", OBJECT("'a':{'type':'array'}"), ERR_INVALID_SCHEMA, "schema.a must have items" },
    { "items as a list", OBJECT("'a':{'type':'array','items':[]}"), ERR_INVALID_SCHEMA, "schema.a.items must be a schema" },
    { "required that is not there", "{'type':'object','properties':{'a':{'type':'string'}},'required':['b']}", ERR_INVALID_SCHEMA, "requires a property" },
    { "an empty enum", OBJECT("'a':{'enum':[]}"), ERR_INVALID_SCHEMA, "schema.a must have an enum" },
    { "an enum of lists", OBJECT("'a':{'enum':[[]]}"), ERR_INVALID_SCHEMA, "schema.a must have an enum" },
    { "bounds the wrong way round", OBJECT("'a':{'type':'number','minimum':2,'maximum':1}"), ERR_INVALID_SCHEMA, "lower bound above" },
    { "a size below nothing", OBJECT("'a':{'type':'string','maxLength':-1}"), ERR_INVALID_SCHEMA, "bounds" },
    { "a bound that is text", OBJECT("'a':{'type':'number','maximum':'9'}"), ERR_INVALID_SCHEMA, "bounds" },
    { "a property without a name", OBJECT("'':{'type':'string'}"), ERR_INVALID_SCHEMA, "names" },
    { "five deep", OBJECT("'a':" OBJECT("'b':" OBJECT("'c':" OBJECT("'d':{'type':'string'}")))), ERR_NONE, "" },
    { "six deep", OBJECT("'a':" OBJECT("'b':" OBJECT("'c':" OBJECT("'d':" OBJECT("'e':{'type':'string'}"))))), ERR_INVALID_SCHEMA, "at most 5 deep" },
};

#define OF(schema) "{'type':'object','required':['a'],'properties':{'a':" schema ",'b':{'type':'string'}}}"

static const struct fit {
    const char *name;
    const char *schema;
    const char *value;
    const char *want; /* faults */
} fits[] = {
    { "all is well", OF("{'type':'string'}"), "{'a':'x','b':'y'}", "[]" },
    { "null for what may lack", OF("{'type':'string'}"), "{'a':'x','b':null}", "[]" },
    { "what may lack lacks", OF("{'type':'string'}"), "{'a':'x'}", "[]" },
    { "what must not lack lacks", OF("{'type':'string'}"), "{}", "[{'path':'a','message':'is required'}]" },
    { "null for what must not", OF("{'type':'string'}"), "{'a':null}", "[{'path':'a','message':'is required'}]" },
    { "null that may be", OF("{'type':['string','null']}"), "{'a':null}", "[]" },
    { "another type", OF("{'type':'string'}"), "{'a':7}", "[{'path':'a','message':'has another type'}]" },
    { "an integer is a number", OF("{'type':'number'}"), "{'a':7}", "[]" },
    { "a number is not an integer", OF("{'type':'integer'}"), "{'a':7.5}", "[{'path':'a','message':'has another type'}]" },
    { "an integer beyond 2^53", OF("{'type':'integer'}"), "{'a':9007199254740993}", "[]" },
    { "and its neighbour", OF("{'type':'integer','enum':[9007199254740993]}"), "{'a':9007199254740992}", "[{'path':'a','message':'is not one of the allowed values'}]" },
    { "two members too many", OF("{'type':'string'}"), "{'a':'x','c':1,'d':1}", "[{'path':'','message':'has a member that is not in the schema'}]" },
    { "a length and a format", OF("{'type':'string','maxLength':2,'format':'date'}"), "{'a':'abc'}", "[{'path':'a','message':'is too short or too long'},{'path':'a','message':'does not match its format'}]" },
    { "a member too many", OF("{'type':'string'}"), "{'a':'x','c':1}", "[{'path':'','message':'has a member that is not in the schema'}]" },
    { "none of the enum", OF("{'enum':['x']}"), "{'a':'y'}", "[{'path':'a','message':'is not one of the allowed values'}]" },
    { "not the constant", OF("{'const':1}"), "{'a':2}", "[{'path':'a','message':'is not one of the allowed values'}]" },
    { "too long", OF("{'type':'string','maxLength':2}"), "{'a':'äöü'}", "[{'path':'a','message':'is too short or too long'}]" },
    { "as long as it may be", OF("{'type':'string','maxLength':3}"), "{'a':'äöü'}", "[]" },
    { "too large", OF("{'type':'number','maximum':2}"), "{'a':2.5}", "[{'path':'a','message':'is out of range'}]" },
    { "too few", OF("{'type':'array','items':{'type':'string'},'minItems':2}"), "{'a':['x']}", "[{'path':'a','message':'has too few or too many items'}]" },
    { "an item", OF("{'type':'array','items':{'type':'object','properties':{'p':{'type':'number'}}}}"), "{'a':[{'p':1},{'p':'x'}]}", "[{'path':'a[1].p','message':'has another type'}]" },
    { "a date that is none", OF("{'type':'string','format':'date'}"), "{'a':'2026-02-30'}", "[{'path':'a','message':'does not match its format'}]" },
    { "no object at all", OF("{'type':'string'}"), "[]", "[{'path':'','message':'has another type'}]" },
};

static const struct strict {
    const char *name;
    const char *schema;
    const char *want;
} stricts[] = {
    { "all are required, and null where they may lack", OF("{'type':'string','minLength':2,'description':'d'}"),
      "{'type':'object','properties':{'a':{'type':'string','description':'d (minLength 2)'},"
      "'b':{'type':['string','null']}},'required':['a','b'],'additionalProperties':false}" },
    { "an enum that may lack", "{'properties':{'a':{'enum':['x']}}}",
      "{'type':'object','properties':{'a':{'type':['string','null'],'enum':['x',null]}},'required':['a'],'additionalProperties':false}" },
    { "a constant", OF("{'const':1}"), "{'type':'object','properties':{'a':{'type':'number','enum':[1]},'b':{'type':['string','null']}},"
      "'required':['a','b'],'additionalProperties':false}" },
    { "a list is a member", "{'type':'array','items':{'properties':{'a':{'type':'integer'}},'required':['a']}}",
      "{'type':'object','properties':{'items':{'type':'array','items':{'type':'object','properties':{'a':{'type':'integer'}},"
      "'required':['a'],'additionalProperties':false}}},'required':['items'],'additionalProperties':false}" },
};

static const struct formatted {
    const char *name; /* the text */
    const char *format;
    bool want;
} formatteds[] = {
    { "2026-11-23", "date", true }, { "2026-11-23T10:00", "date", false }, { "23.11.2026", "date", false },
    { "2026-11-23T10:00:00Z", "date-time", true }, { "2026-11-23T10:00:00", "date-time", false },
    { "2026-11-23 10:00:00Z", "date-time", false },
    { "10:00:00", "time", true }, { "25:00", "time", false }, { "", "time", false },
    { "ada@example.com", "email", true }, { "a.b+c@example.com", "email", true }, { "ada@", "email", false },
    { "@example.com", "email", false }, { "a..b@example.com", "email", false }, { "a b@example.com", "email", false },
    { "ada@example", "email", false }, { "", "email", false },
    { "https://example.com/a?b=c", "uri", true }, { "http://a b/", "uri", false }, { "mailto:ada@example.com", "uri", true },
    { "example.com", "uri", false }, { "urn:isbn:1", "uri", true }, { "x:", "uri", false }, { "", "uri", false },
    { "01900000-0000-7000-8000-000000000000", "uuid", true }, { "0190", "uuid", false },
    { "192.0.2.1", "ipv4", true }, { "192.0.2.256", "ipv4", false }, { "::1", "ipv4", false },
    { "2001:db8::1", "ipv6", true }, { "192.0.2.1", "ipv6", false }, { "", "ipv6", false },
    { "x", "hostname", false },
};
/* clang-format on */

static void check(void **state)
{
    const struct row *row = *state;
    scoped(json_free) cJSON *schema = tree_of(row->schema);
    struct err err = { 0 };
    scoped(json_free) cJSON *read = NULL;
    bool ok = subset_read(schema, "schema", NULL, &read, &err);
    assert_int_equal(err.kind, row->want);
    assert_int_equal(ok, row->want == ERR_NONE);
    if (!strstr(err.message, row->says))
        fail_msg("%s", err.message);
}

static void assert_same(const cJSON *found, const char *want)
{
    scoped(buf_free) struct buf a = BUF(1 << 16);
    scoped(buf_free) struct buf b = BUF(1 << 16);
    json_print(found, &a);
    add_quoted(&b, want);
    assert_string_equal(buf_str(&a), buf_str(&b));
}

static void check_fit(void **state)
{
    const struct fit *row = *state;
    scoped(json_free) cJSON *schema = tree_of(row->schema);
    scoped(json_free) cJSON *value = tree_of(row->value);
    scoped(json_free) cJSON *faults = json_array();
    struct err err = { 0 };
    scoped(json_free) cJSON *read = NULL;
    assert_true(subset_read(schema, "schema", NULL, &read, &err));
    assert_int_equal(subset_check(read, value, 10, faults), strcmp(row->want, "[]") == 0);
    assert_same(faults, row->want);
}

static void check_strict(void **state)
{
    const struct strict *row = *state;
    scoped(json_free) cJSON *schema = tree_of(row->schema);
    scoped(json_free) cJSON *read = NULL;
    assert_true(subset_read(schema, "schema", NULL, &read, NULL));
    scoped(json_free) cJSON *strict = subset_strict(read);
    assert_same(strict, row->want);
}

static void check_format(void **state)
{
    const struct formatted *row = *state;
    assert_int_equal(format_fits(row->format, text_of(row->name)), row->want);
}

/* Names that may be spelling errors are reported; annotations and x-… are not. */
static void ignored_names_are_listed(void **state)
{
    scoped(json_free) cJSON *schema = tree_of(
        "{'$id':'x','x-a':1,'properties':{'a':{'type':'string','minLenght':1,'default':'d'},"
        "'b':{'type':'array','items':{'type':'object','requird':[]}}}}");
    scoped(json_free) cJSON *ignored = json_array();
    scoped(json_free) cJSON *read = NULL;
    (void)state;
    assert_true(subset_read(schema, "schema", ignored, &read, NULL));
    assert_same(ignored, "['schema.a.minLenght','schema.b.items.requird']");
}

/* Definitions that multiply are bounded. */
static void references_are_bounded(void **state)
{
    scoped(buf_free) struct buf text = BUF(SUBSET_BYTES);
    struct err err = { 0 };
    (void)state;
    buf_add_str(&text, "{'$defs':{'d0':{'type':'string'}");
    for (int i = 1; i <= 12; i++)
        buf_format(&text,
                   ",'d%d':{'properties':{'a':{'$ref':'#/$defs/d%d'},'b':{'$ref':'#/$defs/d%d'}}}",
                   i, i - 1, i - 1);
    buf_add_str(&text, "},'$ref':'#/$defs/d12'}");
    scoped(json_free) cJSON *schema = tree_of(buf_str(&text));
    scoped(json_free) cJSON *read = NULL;
    assert_false(subset_read(schema, "schema", NULL, &read, &err));
    assert_int_equal(err.kind, ERR_INVALID_SCHEMA);
}

/* A schema of more than 8 KiB, and one of 101 properties. */
static void large_schemas(void **state)
{
    scoped(json_free) cJSON *schema = json_object();
    scoped(json_free) cJSON *read = NULL;
    struct err err = { 0 };
    (void)state;
    json_str(schema, "type", "object");
    cJSON *properties = json_map(schema, "properties");
    for (size_t i = 0; i <= SUBSET_PROPERTIES; i++) {
        scoped(mem_free) char *name = str_format("p%zu", i);
        json_str(json_map(properties, name), "type", "string");
    }
    assert_false(subset_read(schema, "schema", NULL, &read, &err));
    assert_non_null(strstr(err.message, "at most 100 properties"));

    scoped(mem_free) char *words = mem_new(SUBSET_BYTES + 1);
    memset(words, 'x', SUBSET_BYTES);
    json_str(schema, "description", words);
    assert_false(subset_read(schema, "schema", NULL, &read, &err));
    assert_non_null(strstr(err.message, "at most 8192 bytes"));
}

int main(void)
{
    const struct CMUnitTest singles[] = { cmocka_unit_test(large_schemas),
                                          cmocka_unit_test(ignored_names_are_listed),
                                          cmocka_unit_test(references_are_bounded) };
    return RUN_ROWS(rows, check) + RUN_ROWS(fits, check_fit) + RUN_ROWS(stricts, check_strict) +
           RUN_ROWS(formatteds, check_format) + cmocka_run_group_tests(singles, NULL, NULL);
}
