/* tests/unit/svc/schema.c - the schema language: compiling, judging, settling. */
#include "svc/schema.h"

#include "tool.h"

static cJSON *tree_of(const char *quoted)
{
    scoped(buf_free) struct buf text = BUF(1 << 20);
    cJSON *tree = NULL;
    struct err err = { 0 };
    add_quoted(&text, quoted);
    bool ok = json_parse(buf_text(&text), JSON_DEPTH, &tree, &err);
    assert_string_equal(err.message, "");
    assert_true(ok);
    return tree;
}

/* ---- judging ---- */

static const struct judged {
    const char *name;
    const char *schema;
    const char *value;
    const char *code; /* NULL: it fits */
    const char *message;
} judged[] = {
    { "no type is any value", "{}", "null", NULL, NULL },
    { "null is a type", "{'type':['string','null']}", "null", NULL, NULL },
    { "null is not a string", "{'type':'string'}", "null", "invalid_type",
      "v must be a string, not null" },
    { "a number is not a string", "{'type':'string'}", "1", "invalid_type",
      "v must be a string, not a number" },
    { "several types", "{'type':['string','array']}", "{}", "invalid_type",
      "v must be a string or a list, not an object" },
    { "true is a boolean", "{'type':'boolean'}", "true", NULL, NULL },
    { "0 is not a boolean", "{'type':'boolean'}", "0", "invalid_type",
      "v must be a boolean, not a number" },

    { "256.0 is an integer", "{'type':'integer'}", "256.0", NULL, NULL },
    { "2.56e2 is an integer", "{'type':'integer'}", "2.56e2", NULL, NULL },
    { "256.5 is not one", "{'type':'integer'}", "256.5", "invalid_type",
      "v must be an integer, not a number" },
    { "'256' is not one", "{'type':'integer'}", "'256'", "invalid_type",
      "v must be an integer, not a string" },
    { "an integer is a number", "{'type':'number'}", "3", NULL, NULL },
    { "2^53 - 1 is the last integer", "{'type':'integer'}", "9007199254740991", NULL, NULL },
    { "2^53 may be another one", "{'type':'integer'}", "9007199254740992", "invalid_value",
      "v must be within +-9007199254740991" },
    { "an id that lost digits", "{'type':['string','integer']}", "-9007199254740992",
      "precision_loss",
      "v must be sent as a string: JSON numbers above 9007199254740991 lose digits" },
    { "an id that did not", "{'type':['string','integer']}", "9007199254740991", NULL, NULL },
    { "a number may be large", "{'type':['string','number']}", "1e300", NULL, NULL },
    { "at the minimum", "{'type':'integer','minimum':16,'maximum':4096}", "16", NULL, NULL },
    { "at the maximum", "{'type':'integer','minimum':16,'maximum':4096}", "4096", NULL, NULL },
    { "below", "{'type':'integer','minimum':16,'maximum':4096}", "15", "invalid_value",
      "v must be from 16 to 4096" },
    { "above", "{'type':'integer','minimum':16,'maximum':4096}", "4097", "invalid_value",
      "v must be from 16 to 4096" },
    { "minimum alone", "{'type':'number','minimum':0.1}", "0.09", "invalid_value",
      "v must be at least 0.1" },
    { "maximum alone", "{'type':'number','maximum':1}", "1.5", "invalid_value",
      "v must be at most 1" },

    { "lengths are code points", "{'type':'string','maxLength':3}", "'\u00e9\u00e9\U0001f600'",
      NULL, NULL },
    { "one too many", "{'type':'string','maxLength':2}", "'\u00e9\u00e9\U0001f600'", "too_long",
      "v must have at most 2 characters; it has 3" },
    { "too short", "{'type':'string','minLength':2}", "'\U0001f600'", "too_short",
      "v must have at least 2 characters; it has 1" },
    { "short enough and long enough", "{'type':'string','minLength':2,'maxLength':2}",
      "'\u00e9\u00e9'", NULL, NULL },
    { "an empty text", "{'type':'string'}", "''", NULL, NULL },
    { "U+0000", "{'type':'string'}", "'a\\u0000b'", "invalid_value", "v must not contain U+0000" },
    { "U+0000 allowed", "{'type':'string','allow_nul':true}", "'a\\u0000b'", NULL, NULL },
    { "U+0000 deep in any value", "{}", "[{'a':['b\\u0000']}]", "invalid_value",
      "v must not contain U+0000" },
    { "U+0000 allowed deep in any value", "{'allow_nul':true}", "[{'a':['b\\u0000']}]", NULL,
      NULL },
    { "U+0000 in an unknown member is nobody's", "{'properties':{'a':{}}}", "{'b':'\\u0000'}", NULL,
      NULL },
    { "pattern", "{'type':'string','pattern':'^[a-z]+$'}", "'abc'", NULL, NULL },
    { "pattern missed", "{'type':'string','pattern':'^[a-z]+$','description':'Letters a to z'}",
      "'secret1'", "invalid_value", "v must have this form: Letters a to z" },
    { "uuid", "{'type':'string','format':'uuid'}", "'01890a5d-ac96-774b-bcce-b302099a8057'", NULL,
      NULL },
    { "not a uuid", "{'type':'string','format':'uuid'}", "'01890a5d-ac96-774b-bcce-b302099a805'",
      "invalid_value", "v does not have the required format" },
    { "date-time", "{'type':'string','format':'date-time'}", "'2026-11-21T10:44:00.000Z'", NULL,
      NULL },
    { "date-time with a line feed", "{'type':'string','format':'date-time'}",
      "'2026-11-21T10:44:00Z\\n'", "invalid_value", "v does not have the required format" },
    { "not a date-time", "{'type':'string','format':'date-time'}", "'2026-13-21T10:44:00Z'",
      "invalid_value", "v does not have the required format" },

    { "one of the choices", "{'enum':['a',1]}", "1", NULL, NULL },
    { "none of the choices", "{'enum':['a',1]}", "'b'", "invalid_value",
      "v must be one of \"a\", 1" },
    { "choices have a case", "{'enum':['a']}", "'A'", "invalid_value", "v must be one of \"a\"" },
    { "constant", "{'const':{'a':[1]}}", "{'a':[1.0]}", NULL, NULL },
    { "not the constant", "{'const':{'a':[1]}}", "{'a':[2]}", "invalid_value",
      "v must be {\"a\":[1]}" },

    { "items", "{'type':'array','items':{'type':'string'}}", "['a','b']", NULL, NULL },
    { "a wrong item", "{'type':'array','items':{'type':'string'}}", "['a',null]", "invalid_type",
      "v[1] must be a string, not null" },
    { "few and many enough", "{'type':'array','minItems':2,'maxItems':2}", "[1,2]", NULL, NULL },
    { "too many items", "{'type':'array','maxItems':2}", "[1,2,3]", "too_many_items",
      "v must have at most 2 items; it has 3" },
    { "too few items", "{'type':'array','minItems':1}", "[]", "too_few_items",
      "v must have at least 1 item; it has 0" },
    { "deep names",
      "{'properties':{'items':{'type':'array','items':{'properties':{'name':{'maxLength':1}}}}}}",
      "{'items':[{'name':'a'},{'name':'bc'}]}", "too_long",
      "v.items[1].name must have at most 1 character; it has 2" },

    { "unknown members are ignored", "{'properties':{'a':{}}}", "{'b':[]}", NULL, NULL },
    { "a required member", "{'properties':{'a':{}},'required':['a']}", "{}", "missing_field",
      "v.a is required" },
    { "case of names matters", "{'properties':{'a':{}},'required':['a']}", "{'A':1}",
      "missing_field", "v.a is required" },
    { "properties imply an object", "{'properties':{'a':{}}}", "[]", "invalid_type",
      "v must be an object, not a list" },
    { "one of several", "{'properties':{'a':{},'b':{}},'one_of_required':['a','b']}", "{'b':1}",
      NULL, NULL },
    { "one of several, with a U+0000 that may be",
      "{'properties':{'a':{'allow_nul':true},'b':{}},'one_of_required':['a','b']}",
      "{'a':'\\u0000'}", NULL, NULL },
    { "none of several", "{'properties':{'a':{},'b':{}},'one_of_required':['a','b']}", "{}",
      "missing_field", "v must have one of a, b" },
};

static void check_judged(void **state)
{
    const struct judged *row = *state;
    scoped(json_free) cJSON *source = tree_of(row->schema);
    scoped(json_free) cJSON *value = tree_of(row->value);
    scoped(schema_free) struct schema *schema = NULL;
    struct err err = { 0 };
    struct errs errs = { 0 };

    assert_true(schema_new("request", source, &schema, &err));
    bool ok = schema_check(schema, "v", value, &errs);
    assert_string_equal(errs.item[0].message, row->message ? row->message : "");
    assert_string_equal(err_code(errs.item[0].kind), row->code ? row->code : "");
    assert_int_equal(ok, row->code == NULL);
    assert_int_equal(errs.count, row->code ? 1 : 0);
}

/* ---- compiling: what is wrong, and where ---- */

static const struct wrong {
    const char *name;
    const char *schema;
    const char *message;
} wrong[] = {
    { "not an object", "[]", "request must be a schema" },
    { "an unknown key", "{'maxlength':3}", "request.maxlength is not a key of a schema" },
    { "an unknown type", "{'type':'text'}",
      "request.type must be a type's name or a list of them" },
    { "no type at all", "{'type':[]}", "request.type must be a type's name or a list of them" },
    { "a limit of the wrong type", "{'type':'string','maxLength':'3'}",
      "request.maxLength must be a whole number" },
    { "a negative length", "{'type':'string','minLength':-1}",
      "request.minLength must be a whole number" },
    { "a limit without effect", "{'type':'integer','maxLength':3}",
      "request.maxLength does not apply to a value of this type" },
    { "a range upside down", "{'type':'integer','minimum':3,'maximum':2}",
      "request has a minimum above its maximum" },
    { "lengths upside down", "{'type':'string','minLength':3,'maxLength':2}",
      "request has a minLength above its maxLength" },
    { "a pattern that does not compile", "{'type':'string','pattern':'('}",
      "request.pattern must be a valid pattern, without a format" },
    { "pattern and format", "{'type':'string','pattern':'a','format':'uuid'}",
      "request.format must be uuid or date-time, without a pattern" },
    { "an unknown format", "{'type':'string','format':'email'}",
      "request.format must be uuid or date-time, without a pattern" },
    { "an empty enum", "{'enum':[]}", "request.enum must be a list that is not empty" },
    { "a default that does not fit", "{'properties':{'a':{'type':'integer','default':'x'}}}",
      "request.properties.a.default must be an integer, not a string" },
    { "an example that does not fit", "{'type':'integer','maximum':1,'example':2}",
      "request.example must be at most 1" },
    { "examples that do not fit", "{'type':'integer','examples':[1,'x']}",
      "request.examples must be an integer, not a string" },
    { "deep in items", "{'type':'array','items':{'type':'array','items':{'minimun':1}}}",
      "request.items.items.minimun is not a key of a schema" },
    { "required but unknown", "{'properties':{'a':{}},'required':['b']}",
      "request.required names a property that does not exist or has a default" },
    { "required with a default", "{'properties':{'a':{'default':1}},'required':['a']}",
      "request.required names a property that does not exist or has a default" },
    { "one of unknown ones", "{'properties':{'a':{}},'one_of_required':['a','b']}",
      "request.one_of_required names a property that does not exist or has a default" },
    { "one of those with a default",
      "{'properties':{'a':{'default':1},'b':{}},'one_of_required':['a','b']}",
      "request.one_of_required names a property that does not exist or has a default" },
    { "exclusive without names", "{'properties':{'a':{}},'one_of_exclusive':true}",
      "request.one_of_exclusive must be next to one_of_required" },
    { "an alias twice in one list", "{'properties':{'a':{'aliases':['c','c']}}}",
      "request.properties.a has an alias that is taken" },
    { "an alias twice", "{'properties':{'a':{'aliases':['c']},'b':{'aliases':['c']}}}",
      "request.properties.b has an alias that is taken" },
    { "an alias that is a name", "{'properties':{'a':{'aliases':['b']},'b':{}}}",
      "request.properties.a has an alias that is taken" },
    { "an alias of itself", "{'properties':{'a':{'aliases':['a']}}}",
      "request.properties.a has an alias that is taken" },
};

static void check_wrong(void **state)
{
    const struct wrong *row = *state;
    scoped(json_free) cJSON *source = tree_of(row->schema);
    scoped(schema_free) struct schema *schema = NULL;
    struct err err = { 0 };

    assert_false(schema_new("request", source, &schema, &err));
    assert_string_equal(err.message, row->message);
    assert_int_equal(err.kind, ERR_INVALID_VALUE);
    assert_null(schema);
}

/* ---- settling ---- */

static const struct settled {
    const char *name;
    const char *schema;
    const char *request;
    const char *want;
} settled[] = {
    { "defaults come in", "{'properties':{'a':{'default':[1]},'b':{'default':true}}}", "{'b':0}",
      "{'a':[1],'b':0}" },
    { "null is absent",
      "{'properties':{'a':{'type':'string','default':'x'},'b':{'type':'string'}}}",
      "{'a':null,'b':null}", "{'a':'x'}" },
    { "null is a value where any is", "{'properties':{'a':{}}}", "{'a':null}", "{'a':null}" },
    { "null is a value where it is a type", "{'properties':{'a':{'type':['null','string']}}}",
      "{'a':null}", "{'a':null}" },
    { "an alias", "{'properties':{'a':{'aliases':['x','y']}}}", "{'y':1}", "{'a':1}" },
    { "the first alias wins", "{'properties':{'a':{'aliases':['x','y']}}}", "{'y':1,'x':2}",
      "{'a':2}" },
    { "the canonical name wins", "{'properties':{'a':{'aliases':['x','y']}}}",
      "{'y':1,'a':3,'x':2}", "{'a':3}" },
    { "a null does not win", "{'properties':{'a':{'type':'integer','aliases':['x']}}}",
      "{'a':null,'x':2}", "{'a':2}" },
    { "but a null that is a value does", "{'properties':{'a':{'aliases':['x']}}}",
      "{'a':null,'x':2}", "{'a':null}" },
    { "inside objects and lists",
      "{'properties':{'l':{'type':'array','items':{'properties':{'a':{'default':1}}}}}}",
      "{'l':[{},{'a':2},{'a':null},7]}", "{'l':[{'a':1},{'a':2},{'a':null},7]}" },
    { "a default object is filled too",
      "{'properties':{'o':{'default':{},'properties':{'a':{'default':1}}}}}", "{}",
      "{'o':{'a':1}}" },
    { "nothing inside an absent object", "{'properties':{'o':{'properties':{'a':{'default':1}}}}}",
      "{}", "{}" },
    { "unknown members stay", "{'properties':{'a':{}}}", "{'b':null}", "{'b':null}" },
    { "what has another type stays", "{'properties':{'a':{}}}", "[null]", "[null]" },
};

static void check_settled(void **state)
{
    const struct settled *row = *state;
    scoped(json_free) cJSON *source = tree_of(row->schema);
    scoped(json_free) cJSON *value = tree_of(row->request);
    scoped(json_free) cJSON *want = tree_of(row->want);
    scoped(schema_free) struct schema *schema = NULL;
    scoped(buf_free) struct buf got = BUF(4096);
    struct err err = { 0 };

    assert_true(schema_new("request", source, &schema, &err));
    schema_settle(schema, value, true, NULL);
    json_print(value, &got);
    if (!json_equal(value, want))
        fail_msg("got %s, want %s", buf_str(&got), row->want);
}

static void settle_without_filling(void **state)
{
    (void)state;
    scoped(json_free) cJSON *source = tree_of("{'properties':{'a':{'default':1,'aliases':['x']}}}");
    scoped(json_free) cJSON *value = tree_of("{}");
    scoped(schema_free) struct schema *schema = NULL;
    struct err err = { 0 };

    assert_true(schema_new("request", source, &schema, &err));
    schema_settle(schema, value, false, NULL);
    assert_null(json_get(value, "a"));
}

/* ---- unknown fields ---- */

#define NESTED                                                                           \
    "{'properties':{'input':{'aliases':['text']},'key_encoding':{},"                     \
    "'any':{'type':'object'},'items':{'type':'array','items':{'properties':{'color':{}," \
    "'size':{'properties':{'width':{}}}}}}}}"

static const struct unknown {
    const char *name;
    const char *request;
    const char *want; /* path>suggestion, separated by blanks */
} unknowns[] = {
    { "none", "{'input':'a','key_encoding':1}", "" },
    { "an alias is known", "{'text':'a'}", "" },
    { "a null is known", "{'input':null}", "" },
    { "one, with a suggestion", "{'inptu':'a','input':'b'}", "inptu>input" },
    { "the canonical name is suggested", "{'texd':'a'}", "texd>input" },
    { "another style", "{'keyEncoding':1}", "keyEncoding>key_encoding" },
    { "nothing is near", "{'colour':1,'input':1,'zzz':2}", "colour> zzz>" },
    { "in a list", "{'items':[{},{'colour':1,'color':2}]}", "items[1].colour>color" },
    { "in an object in a list", "{'items':[{'size':{'widht':1}}]}", "items[0].size.widht>width" },
    { "under an alias's name", "{'text':{'x':1}}", "" },
    { "an object without properties has none", "{'any':{'x':1}}", "" },
    { "a value of another type", "{'items':7}", "" },
    { "not printable", "{'\u00e9':1,'a\\tb':1}", "?> ?>" },
    { "empty", "{'':1}", "?>" },
    { "a token", "{'tg_live_x':1,'my TG_x':2}", "?> ?>" },
    { "too long", "{'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa':1}", "?>" },
    { "the longest", "{'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa':1}",
      "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa>" },
    { "a name that the caller allows, at the top only",
      "{'toolCallId':1,'items':[{'toolCallId':1}]}", "items[0].toolCallId>" },
};

static void check_unknown(void **state)
{
    static const char *const allowed[] = { "toolCallId" };
    const struct unknown *row = *state;
    scoped(json_free) cJSON *source = tree_of(NESTED);
    scoped(json_free) cJSON *value = tree_of(row->request);
    scoped(schema_free) struct schema *schema = NULL;
    scoped(buf_free) struct buf got = BUF(4096);
    struct unknown_fields unknown = { allowed, countof(allowed) };
    struct err err = { 0 };

    assert_true(schema_new("request", source, &schema, &err));
    schema_settle(schema, value, true, &unknown);
    for (size_t i = 0; i < unknown.count; i++)
        buf_format(&got, "%s%s>%s", i > 0 ? " " : "", unknown.item[i].path,
                   unknown.item[i].did_you_mean ? unknown.item[i].did_you_mean : "");
    assert_string_equal(buf_str(&got), row->want);
    assert_int_equal(unknown.total, unknown.count);
}

/* Their number and the work for suggestions are bounded. */
static void many_unknown_fields(void **state)
{
    (void)state;
    scoped(json_free) cJSON *source = tree_of("{'properties':{'input':{}}}");
    scoped(json_free) cJSON *value = json_object();
    scoped(schema_free) struct schema *schema = NULL;
    struct unknown_fields unknown = { 0 };
    struct errs errs = { 0 };
    struct err err = { 0 };

    assert_true(schema_new("request", source, &schema, &err));
    for (int i = 0; i < 1000; i++)
        json_int(value, "inputs", i);
    json_int(value, "input", 1);
    schema_settle(schema, value, true, &unknown);
    assert_int_equal(unknown.total, 1000);
    assert_int_equal(unknown.count, UNKNOWN_FIELDS_MAX);
    assert_string_equal(unknown.item[UNKNOWN_SUGGESTED_MAX - 1].did_you_mean, "input");
    assert_null(unknown.item[UNKNOWN_SUGGESTED_MAX].did_you_mean);
    assert_false(unknown_fields_reject(&unknown, &errs));
    assert_int_equal(errs.count, ERRS_MAX);
    assert_string_equal(errs.item[0].message,
                        "inputs is not a field of this tool. Did you mean input?");
}

/* ---- many errors ---- */

static void errors_stop_at_the_limit(void **state)
{
    (void)state;
    scoped(json_free) cJSON *source = tree_of("{'type':'array','items':{'type':'integer'}}");
    scoped(json_free) cJSON *list = json_array();
    scoped(schema_free) struct schema *schema = NULL;
    struct err err = { 0 };
    struct errs errs = { 0 };

    assert_true(schema_new("request", source, &schema, &err));
    for (int i = 0; i < 100; i++)
        json_item_str(list, "x");
    assert_false(schema_check(schema, "", list, &errs));
    assert_int_equal(errs.count, ERRS_MAX);
    assert_string_equal(errs.item[7].message, "[7] must be an integer, not a string");
}

/* A text for which the pattern takes too many steps is rejected, and nothing ends. */
static void endless_forms(void **state)
{
    (void)state;
    scoped(json_free) cJSON *source = tree_of("{'type':'string','pattern':'^(a+)+$'}");
    scoped(json_free) cJSON *value = tree_of("'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!'");
    scoped(schema_free) struct schema *schema = NULL;
    struct err err = { 0 };
    struct errs errs = { 0 };

    assert_true(schema_new("request", source, &schema, &err));
    assert_false(schema_check(schema, "v", value, &errs));
    assert_string_equal(errs.item[0].message,
                        "v has a text that is too long to check its form: shorten it");
}

int main(void)
{
    const struct CMUnitTest singles[] = {
        cmocka_unit_test(endless_forms),
        cmocka_unit_test(settle_without_filling),
        cmocka_unit_test(errors_stop_at_the_limit),
        cmocka_unit_test(many_unknown_fields),
    };
    return RUN_ROWS(judged, check_judged) + RUN_ROWS(wrong, check_wrong) +
           RUN_ROWS(settled, check_settled) + RUN_ROWS(unknowns, check_unknown) +
           cmocka_run_group_tests(singles, NULL, NULL);
}
