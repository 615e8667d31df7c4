/* svc-ai/ai-extract/tests/ai-extract.c - results for the facts in a model's answer. */
#include "ai-extract/coerce-fields.h"

#include <math.h>

#include "svc-ai/said.h"

#define TEXT_OF \
    "Invoice 2026-17 of 3 November 2026: 1.250,00 EUR, paid. Call +49 (0)30 1234567 or Ada."
#define ASK(fields)        "{'text':'" TEXT_OF "','fields':[" fields "]}"
#define FIELD(type)        ASK("{'name':'a','type':'" type "'}")
#define SAYS(data, quotes) "{'data':{" data "},'quotes':[" quotes "]}"
#define QUOTE(words)       "{'path':'a','quote':'" words "'}"
#define SCHEMA(schema)     "{'text':'" TEXT_OF "','schema':" schema "}"

/* clang-format off */
static const struct said rows[] = {
    /* forms */
    { "a text", FIELD("string"), SAYS("'a':'Ada'", QUOTE("Ada")), "/data", "{'a':'Ada'}" },
    { "a number as text", FIELD("string"), SAYS("'a':2026", QUOTE("2026")), "/data", "{'a':'2026'}" },
    { "a long number as text", FIELD("string"), SAYS("'a':9007199254740993", QUOTE("9007199254740993")), "/data", "{'a':'9007199254740993'}" },
    { "text as a number", FIELD("number"), SAYS("'a':'1.250,00'", QUOTE("1.250,00")), "/data", "{'a':1250}" },
    { "a number keeps its digits", FIELD("number"), SAYS("'a':1.10", ""), "/data", "{'a':1.10}" },
    { "an integer above 2^53", FIELD("integer"), SAYS("'a':9007199254740993", ""), "/data", "{'a':9007199254740993}" },
    { "and it is valid", FIELD("integer"), SAYS("'a':12345678901234567890", ""), "/valid", "true" },
    { "the same as text", FIELD("integer"), SAYS("'a':'9007199254740993'", ""), "/data", "{'a':9007199254740993}" },
    { "the same with separators", FIELD("number"), SAYS("'a':'9.007.199.254.740.993,25'", ""), "/data", "{'a':9007199254740993.25}" },
    { "an integer with zeros after it", FIELD("integer"), SAYS("'a':7.0", ""), "/data", "{'a':7}" },
    { "a number above all doubles", FIELD("number"), SAYS("'a':1e400", ""), "/data", "{'a':null}" },
    { "zeros before a number", FIELD("integer"), SAYS("'a':'007'", ""), "/data", "{'a':7}" },
    { "a negative fraction", FIELD("number"), SAYS("'a':'-,5'", ""), "/data", "{'a':-0.5}" },
    { "an amount above 2^53", FIELD("currency"), SAYS("'a':'9007199254740993 EUR'", ""), "/data", "{'a':{'amount':9007199254740993,'currency':'EUR'}}" },
    { "an amount keeps its digits", FIELD("currency"), SAYS("'a':{'amount':1250.50,'currency':'EUR'}", ""), "/data", "{'a':{'amount':1250.50,'currency':'EUR'}}" },
    { "in an object of anything too", FIELD("object"), SAYS("'a':{'b':[9007199254740993,1.10,1e400]}", ""), "/data", "{'a':{'b':[9007199254740993,1.10,1e400]}}" },
    { "a large number of enum", SCHEMA("{'properties':{'a':{'enum':[9007199254740992,9007199254740993]}}}"), SAYS("'a':9007199254740993", ""), "/data", "{'a':9007199254740993}" },
    { "none of enum by its last digit", SCHEMA("{'properties':{'a':{'type':'integer','enum':[9007199254740992]}}}"), SAYS("'a':9007199254740993", ""), "/valid", "false" },
    { "and without a type", SCHEMA("{'properties':{'a':{'enum':[9007199254740992]}}}"), SAYS("'a':9007199254740993", ""), "/valid", "false" },
    { "above a maximum by its last digit", SCHEMA("{'properties':{'a':{'type':'integer','maximum':9007199254740992}}}"), SAYS("'a':9007199254740993", ""), "/valid", "false" },
    { "text as an integer", FIELD("integer"), SAYS("'a':'7'", ""), "/data", "{'a':7}" },
    { "half an integer", FIELD("integer"), SAYS("'a':7.5", ""), "/data", "{'a':null}" },
    { "yes", FIELD("boolean"), SAYS("'a':'yes'", ""), "/data", "{'a':true}" },
    { "a date", FIELD("date"), SAYS("'a':'03.11.2026'", ""), "/data", "{'a':'2026-11-03'}" },
    { "a date of other signs", FIELD("date"), SAYS("'a':'2026/11/3'", ""), "/data", "{'a':'2026-11-03'}" },
    { "a date with a time", FIELD("date"), SAYS("'a':'2026-11-03T10:00:00Z'", ""), "/data", "{'a':'2026-11-03'}" },
    { "a time without a zone", FIELD("datetime"), SAYS("'a':'2026-11-03 10:00'", ""), "/data", "{'a':'2026-11-03T10:00:00+00:00'}" },
    { "a time with a zone", FIELD("datetime"), SAYS("'a':'2026-11-03T10:00:00+01:00'", ""), "/data", "{'a':'2026-11-03T10:00:00+01:00'}" },
    { "an address", FIELD("email"), SAYS("'a':'mailto:ada@example.com'", ""), "/data", "{'a':'ada@example.com'}" },
    { "an address that is none", FIELD("email"), SAYS("'a':'mailto:'", ""), "/data", "{'a':null}" },
    { "a URL", FIELD("url"), SAYS("'a':'example.com/x'", ""), "/data", "{'a':'https://example.com/x'}" },
    { "a phone number of a country", FIELD("phone"), SAYS("'a':'+49 (0)30 1234567'", ""), "/data", "{'a':'+49301234567'}" },
    { "the same with zeros", FIELD("phone"), SAYS("'a':'0049 30 1234567'", ""), "/data", "{'a':'+49301234567'}" },
    { "one of no country", FIELD("phone"), SAYS("'a':'030 1234567'", ""), "/data", "{'a':'030 1234567'}" },
    { "currency", FIELD("currency"), SAYS("'a':{'amount':'1,250.00','currency':'eur'}", ""), "/data", "{'a':{'amount':1250,'currency':'EUR'}}" },
    { "currency as text", FIELD("currency"), SAYS("'a':'€ 1.250,50'", ""), "/data", "{'a':{'amount':1250.5,'currency':'EUR'}}" },
    { "currency of no country", FIELD("currency"), SAYS("'a':'$5'", ""), "/data", "{'a':null}" },
    { "a list of one", FIELD("array"), SAYS("'a':'x'", ""), "/data", "{'a':['x']}" },
    { "a list without what is nothing", FIELD("array"), SAYS("'a':['x',null,'N/A','y']", ""), "/data", "{'a':['x','y']}" },
    { "a list of numbers", ASK("{'name':'a','type':'array','items':'number'}"), SAYS("'a':['1',2,'x']", ""), "/data", "{'a':[1,2]}" },
    { "an object of anything", FIELD("object"), SAYS("'a':{'b':{'c':['d',1,true]}}", ""), "/data", "{'a':{'b':{'c':['d',1,true]}}}" },
    { "a word of enum in another case", ASK("{'name':'a','type':'string','enum':['Paid','Open']}"), SAYS("'a':'paid'", ""), "/data", "{'a':'Paid'}" },
    { "words for nothing", FIELD("string"), SAYS("'a':'Not specified'", ""), "/data", "{'a':null}" },
    { "an empty text", FIELD("string"), SAYS("'a':''", ""), "/data", "{'a':null}" },
    { "nothing hides", FIELD("string"), SAYS("'a':'A\\u200bd\\u202ea'", ""), "/data", "{'a':'Ada'}" },
    { "fields that were not requested are dropped", FIELD("string"), SAYS("'a':'Ada','admin':true", ""), "/data", "{'a':'Ada'}" },
    { "what is not there is null", ASK("{'name':'a','type':'string'},{'name':'b','type':'number'}"), SAYS("'a':'Ada'", ""), "/data", "{'a':'Ada','b':null}" },
    /* valid */
    { "valid", FIELD("string"), SAYS("'a':'Ada'", ""), "/valid", "true" },
    { "valid without what may lack", FIELD("string"), SAYS("'a':null", ""), "/valid", "true" },
    { "not valid without what may not", ASK("{'name':'a','type':'string','required':true}"), SAYS("'a':null", ""), "/valid", "false" },
    { "and why", ASK("{'name':'a','type':'string','required':true}"), SAYS("'a':null", ""), "/validation_errors", "[{'path':'a','message':'is required'}]" },
    { "which is no reason to ask again", ASK("{'name':'a','type':'string','required':true}"), SAYS("'a':null", ""), "/meta/attempts", "1" },
    { "another type is", FIELD("integer"), SAYS("'a':'many'", ""), "/meta/attempts", "2" },
    { "and is reported", FIELD("integer"), SAYS("'a':'many'", ""), "/validation_errors", "[{'path':'a','message':'has another type'}]" },
    { "no date", FIELD("date"), SAYS("'a':'soon'", ""), "/validation_errors", "[{'path':'a','message':'does not match its format'}]" },
    { "none of the enum", ASK("{'name':'a','type':'string','enum':['x']}"), SAYS("'a':'y'", ""), "/validation_errors/0/message", "'is not one of the allowed values'" },
    /* found and missing */
    { "found", ASK("{'name':'a','type':'string'},{'name':'b','type':'array'}"), SAYS("'a':'Ada','b':['x','y']", ""), "/found", "['a','b[0]','b[1]']" },
    { "missing", ASK("{'name':'a','type':'string'},{'name':'b','type':'array'}"), SAYS("'a':null,'b':[]", ""), "/missing", "['a','b']" },
    { "currency is one value", FIELD("currency"), SAYS("'a':'5 EUR'", ""), "/found", "['a']" },
    /* evidence */
    { "words of the text", FIELD("string"), SAYS("'a':'Ada'", QUOTE("or  ADA")), "/evidence", "[{'path':'a','quote':'or Ada','start':79,'end':85,'grounded':true}]" },
    { "the value itself is proof", FIELD("string"), SAYS("'a':'Ada'", ""), "/evidence", "[{'path':'a','quote':'Ada','start':82,'end':85,'grounded':true}]" },
    { "words that the text has not", FIELD("string"), SAYS("'a':'Bob'", QUOTE("signed Bob")), "/evidence", "[{'path':'a','quote':null,'start':null,'end':null,'grounded':false}]" },
    { "words from which it does not follow", FIELD("string"), SAYS("'a':'Bob'", QUOTE("Ada")), "/evidence", "[{'path':'a','quote':'Ada','start':82,'end':85,'grounded':false}]" },
    { "is reported", FIELD("string"), SAYS("'a':'Bob'", QUOTE("Ada")), "/meta/warnings", "['ungrounded:a']" },
    { "a path with data before it", FIELD("string"), SAYS("'a':'Ada'", "{'path':'data.a','quote':'or Ada'}"), "/evidence/0/start", "79" },
    { "a number in another form", FIELD("number"), SAYS("'a':1250", QUOTE("1.250,00 EUR")), "/grounded_ratio", "1" },
    { "a long number by all its digits", "{'text':'id 9007199254740993','fields':[{'name':'a','type':'integer'}]}", SAYS("'a':9007199254740993", QUOTE("id 9007199254740993")), "/grounded_ratio", "1" },
    { "not by most of them", "{'text':'id 9007199254740993','fields':[{'name':'a','type':'integer'}]}", SAYS("'a':9007199254740992", QUOTE("id 9007199254740993")), "/grounded_ratio", "0" },
    { "another number", FIELD("number"), SAYS("'a':1251", QUOTE("1.250,00 EUR")), "/grounded_ratio", "0" },
    { "a date in words", FIELD("date"), SAYS("'a':'2026-11-03'", QUOTE("3 November 2026")), "/grounded_ratio", "1" },
    { "another day", FIELD("date"), SAYS("'a':'2026-11-04'", QUOTE("3 November 2026")), "/grounded_ratio", "0" },
    { "a phone number by digits", FIELD("phone"), SAYS("'a':'+49 30 1234567'", QUOTE("+49 (0)30 1234567")), "/grounded_ratio", "1" },
    { "another phone number", FIELD("phone"), SAYS("'a':'+49 30 7654321'", QUOTE("+49 (0)30 1234567")), "/grounded_ratio", "0" },
    { "currency by its amount", FIELD("currency"), SAYS("'a':{'amount':1250,'currency':'EUR'}", QUOTE("1.250,00 EUR")), "/grounded_ratio", "1" },
    { "a boolean by any words of the text", FIELD("boolean"), SAYS("'a':true", QUOTE("paid")), "/grounded_ratio", "1" },
    { "but not by others", FIELD("boolean"), SAYS("'a':true", QUOTE("was paid")), "/grounded_ratio", "0" },
    { "a third", ASK("{'name':'a','type':'string'},{'name':'b','type':'string'},{'name':'c','type':'string'}"), SAYS("'a':'Ada','b':'x1','c':'x2'", ""), "/grounded_ratio", "0.3333" },
    { "nothing found", FIELD("string"), SAYS("'a':null", ""), "/grounded_ratio", "1" },
    { "no evidence requested", "{'text':'Ada','evidence':false,'fields':[{'name':'a','type':'string'}]}", "{'data':{'a':'Ada'}}", "/evidence", "[]" },
    { "the ratio is there", "{'text':'Ada','evidence':false,'fields':[{'name':'a','type':'string'}]}", "{'data':{'a':'Bob'}}", "/grounded_ratio", "0" },
    /* the source of the schema */
    { "fields", FIELD("string"), SAYS("'a':'Ada'", ""), "/schema_source", "'fields'" },
    { "a preset", "{'text':'Ada','preset':'contact'}", "{'data':{'name':'Ada'},'quotes':[]}", "/data", "{'name':'Ada','email':null,'phone':null,'company':null,'job_title':null,'address':null,'website':null}" },
    { "a preset with lists of objects", "{'text':'Ada','preset':'invoice'}", "{'data':{'line_items':[{'description':'x','quantity':'2'}]},'quotes':[]}", "/data/line_items", "[{'description':'x','quantity':2,'unit_price':null,'total':null}]" },
    { "a schema", SCHEMA("{'properties':{'a':{'type':'string'}}}"), SAYS("'a':'Ada'", ""), "/schema_source", "'schema'" },
    { "of a list", SCHEMA("{'type':'array','items':{'properties':{'a':{'type':'string'}}}}"), SAYS("'items':[{'a':'Ada'}]", ""), "/data", "{'items':[{'a':'Ada'}]}" },
    { "with numbers to choose from", SCHEMA("{'properties':{'a':{'enum':[1,2]}}}"), SAYS("'a':2", ""), "/data", "{'a':2}" },
    { "a const that is a number", SCHEMA("{'properties':{'a':{'const':5}}}"), SAYS("'a':5", ""), "/data", "{'a':5}" },
    { "a const that is true", SCHEMA("{'properties':{'a':{'const':true}}}"), SAYS("'a':true", ""), "/valid", "true" },
    { "a const that is text", SCHEMA("{'properties':{'a':{'const':'x'}},'required':['a']}"), SAYS("'a':'x'", ""), "/valid", "true" },
    { "another value than const", SCHEMA("{'properties':{'a':{'const':5}}}"), SAYS("'a':6", ""), "/valid", "false" },
    { "an optional enum without a type may lack", SCHEMA("{'properties':{'a':{'enum':['x',2,true]}}}"), SAYS("'a':null", ""), "/valid", "true" },
    { "of mixed types", SCHEMA("{'properties':{'a':{'enum':['x',2,true]},'b':{'enum':['x',2,true]}}}"), SAYS("'a':true,'b':'X'", ""), "/data", "{'a':true,'b':'x'}" },
    { "with references", SCHEMA("{'$defs':{'p':{'type':'string'}},'properties':{'a':{'$ref':'#/$defs/p'}}}"), SAYS("'a':'Ada'", ""), "/data", "{'a':'Ada'}" },
    { "with a name that means nothing", SCHEMA("{'properties':{'a':{'type':'string','minLenght':1}}}"), SAYS("'a':'Ada'", ""), "/meta/warnings", "['ignored:schema.a.minLenght']" },
    { "with annotations", SCHEMA("{'properties':{'a':{'type':'string','default':'Bob','kind':'date','x-a':1}}}"), SAYS("'a':'Ada'", ""), "/valid", "true" },
    { "with two types", SCHEMA("{'properties':{'a':{'type':['string','number']}}}"), SAYS("'a':7", ""), "/data", "{'a':7}" },
    { "none of the three", "{'text':'a'}", NULL, NULL, "missing_field" },
    { "two of them", "{'text':'a','preset':'contact','fields':[{'name':'a','type':'string'}]}", NULL, NULL, "conflicting_fields" },
    { "a field twice", ASK("{'name':'a','type':'string'},{'name':'a','type':'number'}"), NULL, NULL, "invalid_schema" },
    { "items of a text", ASK("{'name':'a','type':'string','items':'number'}"), NULL, NULL, "invalid_schema" },
    { "enum of a number", ASK("{'name':'a','type':'number','enum':['1']}"), NULL, NULL, "invalid_schema" },
    { "an invalid name", ASK("{'name':'1a','type':'string'}"), NULL, NULL, "invalid_value" },
    { "an invalid type", ASK("{'name':'a','type':'money'}"), NULL, NULL, "invalid_value" },
    { "an invalid schema", SCHEMA("{'type':'object'}"), NULL, NULL, "invalid_schema" },
    { "a schema of more than we take", SCHEMA("{'properties':{'a':{'$ref':'#'}}}"), NULL, NULL, "unsupported_schema" },
    { "blanks alone", "{'text':' ','preset':'contact'}", NULL, NULL, "too_short" },
    { "another shape", FIELD("string"), "{'answer':'HACKED'}", NULL, "provider_error" },
    { "data that is not an object", FIELD("string"), "{'data':'HACKED','quotes':[]}", NULL, "provider_error" },
    { "the data alone", FIELD("string"), "{'a':'Ada'}", "/data", "{'a':'Ada'}" },
    { "which is listed", FIELD("string"), "{'a':'Ada'}", "/meta/repairs", "[{'path':'','kind':'wrapped'}]" },
    { "in a list", FIELD("string"), "[{'data':{'a':'Ada'},'quotes':[]}]", "/data", "{'a':'Ada'}" },
    { "in a member", FIELD("string"), "{'result':{'data':{'a':'Ada'},'quotes':[]}}", "/data", "{'a':'Ada'}" },
    { "the data alone in a member", FIELD("string"), "{'result':{'a':'Ada'}}", NULL, "provider_error" },
    { "two of them in a list", FIELD("string"), "[{'data':{'a':'Ada'}},{'data':{'a':'Bob'}}]", NULL, "provider_error" },
    { "no data of this name", FIELD("string"), "{'b':'Ada'}", NULL, "provider_error" },
    { "each repair is listed", FIELD("string"), "{'data':{'a':'Ada',},'quotes':[],}", "/meta/repairs", "[{'path':'data','kind':'comma'},{'path':'','kind':'comma'}]" },
    { "none is listed without one", FIELD("string"), "{'data':{'a':'Ada'},'quotes':[]}", "/meta/repairs", NULL },
    { "a number with separators is asked again", FIELD("number"), "{'data':{'a':1,250.00},'quotes':[]}", NULL, "provider_error" },
    { "an answer that is cut fails", FIELD("string"), "{'data':{'a':'Ada'},'quotes':[", NULL, "provider_error" },
    { "invalid quotes", FIELD("string"), "{'data':{'a':'Ada'},'quotes':'HACKED'}", "/found", "['a']" },
    { "no quotes", FIELD("string"), "{'data':{'a':'Ada'}}", "/found", "['a']" },
};

static const struct number {
    const char *name;
    double want; /* NAN: none */
} numbers[] = {
    { "7", 7 }, { "-7.5", -7.5 }, { "1,250.00", 1250 }, { "1.250,00", 1250 }, { "1 250,5", 1250.5 }, { "1'250.5", 1250.5 },
    { "1,250", 1250 }, { "1.250", 1.25 }, { "0,125", 0.125 }, { "12,5", 12.5 }, { "1.250.000", 1250000 }, { "1,250,000", 1250000 },
    { "", NAN }, { "-", NAN }, { ".", NAN }, { "x", NAN }, { "7x", NAN }, { "1e5", NAN }, { "0x10", NAN }, { "nan", NAN }, { "1-2", NAN },
    { "11111111111111111111111111111111111111111111111111", NAN },
};
/* clang-format on */

static void check(void **state)
{
    check_said(*state, ai_extract, "ai-extract");
}

static void check_number(void **state)
{
    const struct number *row = *state;
    scoped(json_free) cJSON *number = coerce_number(text_of(row->name));
    assert_int_equal(number != NULL, row->want == row->want);
    if (number)
        assert_true(number->valuedouble == row->want);
}

/* More values than are checked, within the time limit. */
static void many_values(void **state)
{
    scoped(json_free) cJSON *result = json_object();
    scoped(buf_free) struct buf says = BUF(1 << 18);
    struct err err = { 0 };
    (void)state;
    buf_add_str(&says, "{'quotes':[],'data':{'a':[");
    for (int i = 0; i < 5000; i++)
        buf_format(&says, "%s'value %d'", i > 0 ? "," : "", i);
    buf_add_str(&says, "]}}");
    model_fails = ERR_NONE;
    model_says = buf_str(&says);
    assert_true(run_tool(ai_extract, "ai-extract", FIELD("array"), result, NULL, &err));
    assert_int_equal(json_size(json_at(result, "/data/a")), COERCE_ITEMS_MAX);
    assert_int_equal(json_size(json_at(result, "/meta/warnings")), MODEL_WARNINGS_MAX);
    forget_models();
}

int main(void)
{
    const struct CMUnitTest singles[] = { cmocka_unit_test(many_values) };
    return RUN_ROWS(rows, check) + RUN_ROWS(numbers, check_number) +
           cmocka_run_group_tests(singles, NULL, NULL);
}
