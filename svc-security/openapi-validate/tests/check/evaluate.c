/* svc-security/openapi-validate/tests/check/evaluate.c - values and their schemas. */
#include "openapi-validate/check/evaluate.h"

#include <string.h>

#include "openapi-validate/tests/reading.h"
#include "rows.h"

static const struct row {
    const char *name;
    const char *version;
    const char *schema;
    const char *value;
    const char *why; /* the failing keyword, or NULL */
} rows[] = {
    { "a type", "3.1.0", "type: string", "a", NULL },
    { "another type", "3.1.0", "type: string", "1", "type" },
    { "one of two types", "3.1.0", "type: [string, 'null']", "null", NULL },
    { "none of two types", "3.1.0", "type: [string, 'null']", "1", "type" },
    { "1.0 is an integer", "3.1.0", "type: integer", "1.0", NULL },
    { "1.5 is not an integer", "3.1.0", "type: integer", "1.5", "type" },
    { "an integer is a number", "3.1.0", "type: number", "1", NULL },
    { "nullable in 3.0", "3.0.4", "{type: string, nullable: true, minLength: 2}", "null", NULL },
    { "null in 3.0", "3.0.4", "type: string", "null", "type" },
    { "nullable means nothing in 3.1", "3.1.0", "{type: string, nullable: true}", "null", "type" },
    { "enum", "3.1.0", "enum: [a, [1], {b: 2}]", "{b: 2.0}", NULL },
    { "not in enum", "3.1.0", "enum: [a, [1]]", "[2]", "enum" },
    { "big integers differ", "3.1.0", "enum: [9007199254740993]", "9007199254740992", "enum" },
    { "const", "3.1.0", "const: 1", "1", NULL },
    { "another const", "3.1.0", "const: 1", "2", "const" },
    { "const means nothing in 3.0", "3.0.4", "const: 1", "2", NULL },
    { "maximum", "3.1.0", "maximum: 1", "1", NULL },
    { "above maximum", "3.1.0", "maximum: 1", "1.5", "maximum" },
    { "exclusive by a flag", "3.0.4", "{maximum: 1, exclusiveMaximum: true}", "1", "maximum" },
    { "exclusive by a number", "3.1.0", "exclusiveMaximum: 1", "1", "exclusiveMaximum" },
    { "below minimum", "3.1.0", "minimum: 1", "0", "minimum" },
    { "exclusive minimum", "3.0.4", "{minimum: 1, exclusiveMinimum: true}", "1", "minimum" },
    { "exclusive minimum by a number", "3.1.0", "exclusiveMinimum: 1", "1", "exclusiveMinimum" },
    { "bounds are not for texts", "3.1.0", "minimum: 1", "a", NULL },
    { "a multiple", "3.1.0", "multipleOf: 0.1", "0.3", NULL },
    { "no multiple", "3.1.0", "multipleOf: 2", "3", "multipleOf" },
    { "lengths count characters", "3.1.0", "maxLength: 2", "\u00e9\U0001f600", NULL },
    { "too long", "3.1.0", "maxLength: 2", "abc", "maxLength" },
    { "too short", "3.1.0", "minLength: 2", "a", "minLength" },
    { "a pattern anywhere", "3.1.0", "pattern: b", "abc", NULL },
    { "a pattern from end to end", "3.1.0", "pattern: ^b$", "abc", "pattern" },
    { "a pattern with \\u", "3.1.0", "pattern: '^\\u00e9$'", "\u00e9", NULL },
    { "a pattern with \\u{}", "3.1.0", "pattern: '^\\u{1f600}$'", "\U0001f600", NULL },
    { "a pattern that PCRE has not", "3.1.0", "pattern: '\\p{Letter}'", "1", NULL },
    { "an endless pattern is not decided", "3.1.0", "pattern: '^(a+)+$'",
      "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!", NULL },
    { "too many items", "3.1.0", "maxItems: 1", "[1, 2]", "maxItems" },
    { "too few items", "3.1.0", "minItems: 1", "[]", "minItems" },
    { "unique items", "3.1.0", "uniqueItems: true", "[1, '1', [1]]", NULL },
    { "the same item", "3.1.0", "uniqueItems: true", "[1, 2, 1.0]", "uniqueItems" },
    { "items", "3.1.0", "items: {type: string}", "[a, 1]", "type" },
    { "no items", "3.1.0", "items: false", "[a]", "items" },
    { "first items", "3.1.0", "{prefixItems: [{type: string}], items: {type: integer}}", "[a, 1]",
      NULL },
    { "a wrong first item", "3.1.0", "prefixItems: [{type: string}]", "[1]", "type" },
    { "too many properties", "3.1.0", "maxProperties: 1", "{a: 1, b: 2}", "maxProperties" },
    { "too few properties", "3.1.0", "minProperties: 1", "{}", "minProperties" },
    { "required", "3.1.0", "required: [a]", "{b: 1}", "required" },
    { "a property", "3.1.0", "properties: {a: {type: string}}", "{a: 1}", "type" },
    { "no others", "3.1.0", "{properties: {a: {}}, additionalProperties: false}", "{a: 1, b: 2}",
      "additionalProperties" },
    { "others of a type", "3.1.0", "additionalProperties: {type: string}", "{b: 2}", "type" },
    { "others that a pattern describes", "3.1.0",
      "{patternProperties: {b: {}}, additionalProperties: false}", "{b: 2}", NULL },
    { "allOf", "3.1.0", "allOf: [{type: string}, {minLength: 2}]", "a", "minLength" },
    { "anyOf", "3.1.0", "anyOf: [{type: string}, {type: integer}]", "1", NULL },
    { "none of anyOf", "3.1.0", "anyOf: [{type: string}, {type: integer}]", "[]", "anyOf" },
    { "oneOf", "3.1.0", "oneOf: [{type: string}, {type: integer}]", "1", NULL },
    { "two of oneOf", "3.1.0", "oneOf: [{type: number}, {type: integer}]", "1", "oneOf" },
    { "not", "3.1.0", "not: {type: string}", "a", "not" },
    { "not with a reference is not judged", "3.1.0", "not: {$ref: a.yaml}", "a", NULL },
    { "then", "3.1.0", "{if: {type: string}, then: {minLength: 2}}", "a", "minLength" },
    { "else", "3.1.0", "{if: {type: string}, else: {minimum: 2}}", "1", "minimum" },
    { "a reference", "3.1.0", "{$ref: '#/components/schemas/T'}", "1", "type" },
    { "next to a reference", "3.1.0", "{$ref: '#/components/schemas/T', minLength: 2}", "a",
      "minLength" },
    { "another document fits", "3.1.0", "{$ref: a.yaml}", "1", NULL },
    { "unknown keywords fit", "3.1.0", "x-properties: false", "{a: 1}", NULL },
    { "nothing unevaluated", "3.1.0", "unevaluatedProperties: false", "{a: 1}",
      "unevaluatedProperties" },
    { "nothing said of what a reference may evaluate", "3.1.0",
      "{$ref: a.yaml, unevaluatedProperties: false}", "{a: 1}", NULL },
    { "contains", "3.1.0", "contains: {type: string}", "[1]", "contains" },
    { "names", "3.1.0", "propertyNames: {maxLength: 1}", "{ab: 1}", "propertyNames" },
    { "others next to patterns", "3.1.0",
      "{patternProperties: {b: {}}, additionalProperties: false}", "{a: 2}",
      "additionalProperties" },
    { "null is not allowed by default", "3.1.0", "{type: [string, 'null'], enum: [a]}", "null",
      "enum" },
    { "false", "3.1.0", "properties: {a: false}", "{a: 1}", "properties" },

    /* formats */
    { "date", "3.1.0", "format: date", "'2024-02-29'", NULL },
    { "no such day", "3.1.0", "format: date", "'2023-02-29'", "format" },
    { "date-time", "3.1.0", "format: date-time", "'2024-02-29T12:00:60.5+05:30'", NULL },
    { "date-time without a zone", "3.1.0", "format: date-time", "'2024-02-29T12:00:00'", "format" },
    { "time", "3.1.0", "format: time", "'12:00:00Z'", NULL },
    { "hour 24", "3.1.0", "format: time", "'24:00:00Z'", "format" },
    { "e-mail", "3.1.0", "format: email", "a@b", NULL },
    { "no e-mail", "3.1.0", "format: email", "a.b", "format" },
    { "UUID", "3.1.0", "format: uuid", "00000000-0000-0000-0000-00000000000A", NULL },
    { "no UUID", "3.1.0", "format: uuid", "a", "format" },
    { "IPv4", "3.1.0", "format: ipv4", "10.0.0.1", NULL },
    { "no IPv4", "3.1.0", "format: ipv4", "10.0.0.256", "format" },
    { "IPv6", "3.1.0", "format: ipv6", "'::1'", NULL },
    { "no IPv6", "3.1.0", "format: ipv6", "'::g'", "format" },
    { "URI", "3.1.0", "format: uri", "'urn:a:b'", NULL },
    { "a relative URI", "3.1.0", "format: uri", "/a", "format" },
    { "host", "3.1.0", "format: hostname", "a-1.example", NULL },
    { "no host", "3.1.0", "format: hostname", "-a.example", "format" },
    { "an empty label", "3.1.0", "format: hostname", "a..b", "format" },
    { "Base64", "3.0.4", "format: byte", "YWJj", NULL },
    { "no Base64", "3.0.4", "format: byte", "'YW J'", "format" },
    { "int32", "3.0.4", "format: int32", "2147483647", NULL },
    { "beyond int32", "3.0.4", "format: int32", "2147483648", "format" },
    { "lowest int32", "3.0.4", "format: int32", "-2147483648", NULL },
    { "below int32", "3.0.4", "format: int32", "-2147483649", "format" },
    { "int32 and a little", "3.0.4", "format: int32", "2147483647.0000000001", "format" },
    { "highest int64", "3.0.4", "format: int64", "9223372036854775807", NULL },
    { "beyond int64", "3.0.4", "format: int64", "9223372036854775808", "format" },
    { "lowest int64", "3.0.4", "format: int64", "-9223372036854775808", NULL },
    { "below int64", "3.0.4", "format: int64", "-9223372036854775809", "format" },
    { "highest int64 with a sign", "3.0.4", "format: int64", "+9223372036854775807", NULL },
    { "highest int64 in hexadecimal", "3.0.4", "format: int64", "0x7fffffffffffffff", NULL },
    { "beyond int64 in hexadecimal", "3.0.4", "format: int64", "0x8000000000000000", "format" },
    { "int64 with an exponent", "3.0.4", "format: int64", "1e18", NULL },
    { "beyond int64 with an exponent", "3.0.4", "format: int64", "1e19", "format" },
    { "int64 with a fraction of zero", "3.0.4", "format: int64", "1.0", NULL },
    { "int64 with a fraction", "3.0.4", "format: int64", "1.5", "format" },
    { "int64 with a fraction that doubles lose", "3.0.4", "format: int64", "9007199254740993.5",
      "format" },
    { "an integer with a fraction that doubles lose", "3.0.4", "type: integer",
      "9007199254740993.5", "type" },
    { "a large integer as another one", "3.0.4", "enum: [9007199254740993]", "9007199254740993.0",
      NULL },
    { "an unknown format fits", "3.0.4", "format: foo", "a", NULL },
};

static const char *evaluate_instance(struct reading *run, const char *version, const char *schema,
                                     const char *value, enum direction direction)
{
    const char *open = schema[0] == '{' ? "" : "{";
    const char *close = schema[0] == '{' ? "" : "}";
    scoped(mem_free) char *text =
        str_format("openapi: %s\ncomponents: {schemas: {S: %s%s%s, T: {type: string}}}\nx-v: %s\n",
                   version, open, schema, close, value);
    const struct node *where = NULL;
    assert_true(reading_of(run, text_of(text)));
    assert_true(check_references(&run->check));
    const struct node *root = run->document.root;
    const struct node *schemas = node_get(node_get(root, "components"), "schemas");
    return evaluate(&run->check, node_get(schemas, "S"), node_get(root, "x-v"), direction, &where);
}

static void check(void **state)
{
    const struct row *row = *state;
    scoped(reading_free) struct reading run;
    const char *why =
        evaluate_instance(&run, row->version, row->schema, row->value, DIRECTION_EITHER);
    assert_string_equal(why ? why : "", row->why ? row->why : "");
}

static void directions(void **state)
{
    (void)state;
    static const char schema[] =
        "{required: [r, w], properties: {r: {readOnly: true}, w: {writeOnly: true}}}";
    static const struct {
        const char *value;
        enum direction direction;
        bool fits;
    } tries[] = {
        { "{w: 1}", DIRECTION_REQUEST, true },  { "{r: 1}", DIRECTION_REQUEST, false },
        { "{r: 1}", DIRECTION_RESPONSE, true }, { "{w: 1}", DIRECTION_RESPONSE, false },
        { "{w: 1}", DIRECTION_EITHER, false },
    };
    for (size_t i = 0; i < countof(tries); i++) {
        scoped(reading_free) struct reading run;
        bool fits = !evaluate_instance(&run, "3.1.0", schema, tries[i].value, tries[i].direction);
        assert_int_equal(fits, tries[i].fits);
    }
}

/* Sixty schemas with two branches each would take 2^60 steps. */
static void gives_up_in_time(void **state)
{
    (void)state;
    scoped(buf_free) struct buf text = BUF(1 << 20);
    scoped(reading_free) struct reading run;
    buf_add_str(&text, "openapi: 3.1.0\npaths: {}\ncomponents: {schemas: {S60: {type: string}");
    for (int i = 0; i < 60; i++)
        buf_format(&text,
                   ", S%d: {anyOf: [{$ref: '#/components/schemas/S%d'}, {$ref: "
                   "'#/components/schemas/S%d'}], default: 1}",
                   i, i + 1, i + 1);
    buf_add_str(&text, "}}\n");
    assert_true(reading_of(&run, buf_text(&text)));
    assert_true(check_document(&run.check));
    assert_true(run.check.is_cut);
}

int main(void)
{
    const struct CMUnitTest singles[] = {
        cmocka_unit_test(directions),
        cmocka_unit_test(gives_up_in_time),
    };
    return RUN_ROWS(rows, check) + cmocka_run_group_tests(singles, NULL, NULL);
}
