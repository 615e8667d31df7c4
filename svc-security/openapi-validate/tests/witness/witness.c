/* svc-security/openapi-validate/tests/witness/witness.c - pairs of documents and their witnesses.
 */
#include "openapi-validate/witness/witness.h"

#include <string.h>

#include "openapi-validate/diff/diff.h"
#include "openapi-validate/tests/reading.h"
#include "openapi-validate/witness/texts.h"
#include "rows.h"
#include "text/json.h"

/* ---- witnesses of changes ---- */

#define OPERATION(part) "openapi: 3.1.0\npaths: {/a: {post: {" part "}}}\n"
#define BODY            OPERATION("requestBody: {content: {application/json: {schema: {%s}}}}")
#define REPLY           OPERATION("responses: {200: {content: {application/json: {schema: {%s}}}}}")
#define QUERY           OPERATION("parameters: [{name: q, in: query, schema: {%s}}]")
#define CALL            OPERATION("%s")
#define DOCUMENT        "{openapi: 3.1.0, %s}"
#define BODY_3_0                                                                              \
    "openapi: 3.0.4\npaths: {/a: {post: {requestBody: {content: {application/json: {schema: " \
    "{%s}}}}}}}\n"
#define HOOK                                                                           \
    "openapi: 3.1.0\nwebhooks: {w: {post: {requestBody: {content: {application/json: " \
    "{schema: {%s}}}}}}}\n"

#define CALL_S                                                                                   \
    "{post: {requestBody: {content: {application/json: {schema: {$ref: '#/components/schemas/S'" \
    "}}}}}}"
#define SHARED \
    "openapi: 3.1.0\npaths: {/a: " CALL_S ", /b: " CALL_S "}\ncomponents: {schemas: {S: {%s}}}\n"

#define NONE   "No value was found that shows the change."
#define LARGE  "The shortest value found is longer than 1 KB."
#define OPEN   "A request with the property is still valid, but it is no longer described."
#define UNLESS "Whether a value is valid does not depend on this keyword."

static const struct row {
    const char *name;
    const char *document; /* with a %s for old and new */
    const char *old;
    const char *new;
    const char *want; /* of each breaking change: the witness, or why there is none, or nothing */
} rows[] = {
    { "a type", BODY, "type: [string, integer]", "type: integer", "\"a\"" },
    { "any type", BODY, "", "type: string", "{}" },
    { "in a response", REPLY, "type: integer", "type: [integer, string]", "\"a\"" },
    { "null", BODY, "type: [string, 'null']", "type: string", "null" },
    { "null in 3.0", BODY_3_0, "type: string, nullable: true", "type: string", "null" },
    { "an enum's value", BODY, "enum: [a, b]", "enum: [a]", "\"b\"" },
    { "of each operation that shares a schema", SHARED, "type: integer, maximum: 9",
      "type: integer, maximum: 5", "9; 9" },
    { "each its own value", BODY, "enum: [a, b, c]", "enum: [a]", "\"b\"; \"c\"" },
    { "a bound", BODY, "type: integer, maximum: 9", "type: integer, maximum: 5", "9" },
    { "a multiple", BODY, "type: number", "type: number, multipleOf: 5", "1" },
    { "a length", REPLY, "type: string, maxLength: 3", "type: string, maxLength: 5", "\"aaaaa\"" },
    { "a pattern", BODY, "pattern: '^[A-F]{2,9}$'", "pattern: '^[A-F]{2,9}$', maxLength: 4",
      "\"AAAAA\"" },
    { "a format", BODY, "type: string", "type: string, format: uuid", "\"a\"" },
    { "an item", BODY, "type: array, items: {type: number}", "type: array, items: {type: integer}",
      "[0.5]" },
    { "equal items", BODY, "type: array", "type: array, uniqueItems: true", "[{},{}]" },
    { "a required property", BODY, "properties: {a: {}}", "properties: {a: {}}, required: [a]",
      "{}" },
    { "one of two required properties", BODY, "properties: {a: {}, b: {}}",
      "properties: {a: {}, b: {}}, required: [a, b]", "{\"b\":\"a\"}; {\"a\":\"a\"}" },
    { "beside what is required", BODY,
      "type: object, required: [id], properties: {id: {format: uuid, type: string}, n: {type: "
      "number}}",
      "type: object, required: [id], properties: {id: {format: uuid, type: string}, n: {type: "
      "integer}}",
      "{\"n\":0.5,\"id\":\"12345678-1234-4234-8234-123456789abc\"}" },
    { "in a list of lists", BODY, "type: array, minItems: 2, items: {type: array, items: {}}",
      "type: array, minItems: 2, items: {type: array, items: {type: string}}", "[[{}],[]]" },
    { "another property", BODY, "type: object", "type: object, additionalProperties: false",
      "{\"extra\":\"a\"}" },
    { "of a choice", BODY, "oneOf: [{type: string}, {type: integer}]", "oneOf: [{type: integer}]",
      "\"a\"" },
    { "what not forbids", BODY, "type: integer", "type: integer, not: {const: 77}", "77" },
    { "under not", BODY, "type: integer, not: {minimum: 8}", "type: integer, not: {minimum: 4}",
      "4" },
    { "without a readOnly property", BODY,
      "required: [a], properties: {a: {readOnly: true}, b: {type: number}}",
      "required: [a], properties: {a: {readOnly: true}, b: {type: integer}}", "{\"b\":0.5}" },
    { "a webhook", HOOK, "required: [a]", "", "{}" },
    { "a text of a URL", QUERY, "type: string", "type: integer", "\"a\"" },
    { "a number is a text", QUERY, "type: string", "type: string, enum: [1, '2']", "\"a\"" },

    { "too large", BODY, "type: string", "type: string, maxLength: 1022", LARGE },
    { "as large as possible", BODY, "type: string, maxLength: 3",
      "type: string, minLength: 2, maxLength: 3", "\"a\"" },
    { "a pattern that is not understood", BODY, "type: string, pattern: '^(?!a).*\\1$'",
      "type: string, pattern: '^(?!b).*\\2$'", NONE },
    { "a default", QUERY, "type: string", "type: string, default: a", UNLESS },
    { "an optional property", BODY, "properties: {a: {}}", "", OPEN },
    { "an optional property that is forbidden now", BODY,
      "properties: {a: {}}, additionalProperties: false", "additionalProperties: false",
      "{\"a\":\"a\"}" },

    { "an optional property that may be anything now", REPLY, "properties: {a: {type: string}}",
      "properties: {b: {type: string}}", "{\"a\":0}" },
    { "null beside another change", BODY, "type: [string, 'null'], maxLength: 9",
      "type: string, maxLength: 2", "null; \"aaaaaaaaa\"" },

    /* proved that none exists: not breaking */
    { "int64 of a bounded integer", BODY, "type: integer, minimum: 0, maximum: 100",
      "type: integer, minimum: 0, maximum: 100, format: int64", "" },
    { "int64 of a bounded integer under not", REPLY,
      "not: {type: integer, minimum: 0, maximum: 100}",
      "not: {type: integer, minimum: 0, maximum: 100, format: int64}", "" },
    { "int32 of an integer that is too large", BODY,
      "type: integer, maximum: 3000000000, minimum: 0",
      "type: integer, maximum: 3000000000, minimum: 0, format: int32", "3000000000" },
    { "int64 of all integers in it", BODY,
      "type: integer, minimum: -9223372036854775808, maximum: 9223372036854775807",
      "type: integer, minimum: -9223372036854775808, maximum: 9223372036854775807, format: int64",
      "" },
    { "int64 of integers to one above it", BODY,
      "type: integer, minimum: 0, maximum: 9223372036854775808",
      "type: integer, minimum: 0, maximum: 9223372036854775808, format: int64",
      "9223372036854775808" },
    { "int64 of integers from one below it", BODY,
      "type: integer, maximum: 0, minimum: -9223372036854775809",
      "type: integer, maximum: 0, minimum: -9223372036854775809, format: int64",
      "-9223372036854775809" },
    { "a maximum lowered by what doubles lose", BODY, "type: integer, maximum: 9223372036854775807",
      "type: integer, maximum: 9223372036854775806", "9223372036854775807" },
    { "int64 of any integer", BODY, "type: integer", "type: integer, format: int64",
      "9223372036854775808" },
    { "a length of an enum", BODY, "enum: [a, bc]", "enum: [a, bc], maxLength: 2", "" },
    { "a shorter length of an enum", BODY, "enum: [a, bc]", "enum: [a, bc], maxLength: 1",
      "\"bc\"" },

    /* other changes */
    { "an operation", DOCUMENT, "paths: {'/a/{b}': {delete: {}, get: {}}}",
      "paths: {'/a/{b}': {get: {}}}", "DELETE /a/{b}" },
    { "a server", DOCUMENT, "servers: [{url: 'https://a.example/v1/'}], paths: {/a: {get: {}}}",
      "servers: [{url: 'https://b.example/v1/'}], paths: {/a: {get: {}}}",
      "GET https://a.example/v1/a" },
    { "a parameter", CALL, "", "parameters: [{name: q, in: query, required: true}]", "POST /a" },
    { "a notice", CALL, "x-sunset: '2027-01-01'", "deprecated: true", "nothing" },
};

static void read_side(struct reading *side, const char *document, const char *part)
{
    const char *hole = strstr(document, "%s");
    scoped(mem_free) char *text =
        str_format("%.*s%s%s", (int)(hole - document), document, part, hole + 2);
    if (!reading_of(side, text_of(text)) || !check_references(&side->check))
        fail_msg("%s", side->findings->item[LEVEL_ERROR][0].message);
}

static void check(void **state)
{
    const struct row *row = *state;
    scoped(reading_free) struct reading old;
    scoped(reading_free) struct reading new;
    scoped(diff_free) struct diff diff = { .today = 20600 };
    scoped(buf_free) struct buf got = BUF(1 << 14);
    read_side(&old, row->document, row->old);
    read_side(&new, row->document, row->new);
    diff.old.check = &old.check;
    diff.new.check = &new.check;
    diff_run(&diff);
    witness_find(&diff);
    for (size_t i = 0; i < diff.kept; i++) {
        const struct change *change = &diff.changes[i];
        const char *said = change->witness ? change->witness : change->witness_note;
        if (change->level != CHANGE_INFO)
            buf_format(&got, "%s%s", got.size > 0 ? "; " : "", said ? said : "nothing");
    }
    assert_string_equal(buf_str(&got), row->want);
}

/* Operations that share a schema share the work, but a change of what an operation itself says is
 * reported at that operation. */
static void each_operation_has_its_place(void **state)
{
    static const char *const places[] = {
        "/paths/~1a/post/requestBody/content/application~1json/schema",
        "/paths/~1b/post/requestBody/content/application~1json/schema",
    };
    (void)state;
    scoped(reading_free) struct reading old;
    scoped(reading_free) struct reading new;
    scoped(diff_free) struct diff diff = { .today = 20600 };
    read_side(&old, SHARED, "type: [string, 'null']");
    read_side(&new, SHARED, "type: string");
    diff.old.check = &old.check;
    diff.new.check = &new.check;
    diff_run(&diff);
    witness_find(&diff);
    assert_int_equal(diff.kept, countof(places));
    for (size_t i = 0; i < diff.kept; i++) {
        scoped(buf_free) struct buf place = BUF(1000);
        node_path(diff.changes[i].node, &place);
        assert_string_equal(buf_str(&place), places[i]);
        assert_string_equal(diff.changes[i].witness, "null");
    }
}

/* ---- texts of patterns ---- */

static const struct pattern {
    const char *pattern;
    size_t repeats;
    const char *want; /* NULL: not understood */
} patterns[] = {
    { "^[a-z]{3}-\\d+$", 1, "aaa-0" },
    { "^(ab|c)*$", 2, "abab" },
    { "^(?:GET|POST) /\\w", 1, "GET /a" },
    { "^(?<year>\\d{4})$", 1, "0000" },
    { "^(?=a)b?$", 0, "" },
    { "[^a-z\\s]", 1, "A" },
    { "^\\x41\\u0042\\.$", 1, "AB." },
    { "^a{2,}?b{,2}$", 3, "aaab{,2}" },
    { "x{0}y", 5, "y" },
    { "\\p{L}\\P{L}", 1, "A-" },
    { "[]a]", 1, NULL },
    { "(a", 1, NULL },
    { "a)", 1, NULL },
    { "(a)\\1", 1, NULL },
    { "[^\\d\\D]", 1, NULL },
    { "((((((((((((((((((((((a))))))))))))))))))))))", 1, NULL },
    { "((a{999}){999}){999}", 1, NULL },
};

static void check_pattern(void **state)
{
    const struct pattern *row = *state;
    scoped(buf_free) struct buf got = BUF(1000);
    bool ok = text_of_pattern(text_of(row->pattern), row->repeats, &got);
    assert_int_equal(ok, row->want != NULL);
    if (ok)
        assert_int_equal(text_equals(buf_text(&got), text_of(row->want)), true);
}

int main(void)
{
    static const struct CMUnitTest tests[] = { cmocka_unit_test(each_operation_has_its_place) };
    return RUN_ROWS(rows, check) + RUN_ROWS(patterns, check_pattern) +
           cmocka_run_group_tests(tests, NULL, NULL);
}
