/* svc-security/openapi-validate/tests/rules/rules.c - a document for each rule, and a valid one for
 * each version. */
#include <string.h>

#include "openapi-validate/tests/reading.h"
#include "rows.h"

/* ---- documents: a valid head for each version ---- */

#define HEAD_2_0         "swagger: '2.0'\ninfo: &i {title: t, version: '1', description: d, contact: {}}\n"
#define HEAD_3_0         "openapi: 3.0.4\ninfo: &i {title: t, version: '1', description: d, contact: {}}\n"
#define HEAD_3_1         "openapi: 3.1.1\ninfo: &i {title: t, version: '1', description: d, contact: {}}\n"
#define HEAD_3_2         "openapi: 3.2.0\ninfo: &i {title: t, version: '1', description: d, contact: {}}\n"

#define RESPONSES        "responses: {200: {description: d}}"
#define OPERATION(more)  "paths: {/a: {get: {operationId: a, " RESPONSES ", " more "}}}\n"
#define PARAMETER(more)  OPERATION("parameters: [{" more "}]")
#define SCHEMA(more)     "paths: {}\ncomponents: {schemas: {S: {" more "}}}\n"
#define DEFINITION(more) "paths: {}\ndefinitions: {S: {" more "}}\n"
#define SECURITY(more)   "paths: {}\ncomponents: {securitySchemes: {s: {" more "}}}\n"
#define JSON_BODY(more)                              \
    "paths: {/a: {post: {operationId: a, " RESPONSES \
    ", requestBody: {content: {application/json: {" more "}}}}}}\n"
/* parameters of a path and of its operation */
#define BOTH(shared, own) \
    "paths: {/a: {parameters: [" shared "], post: {operationId: a, " RESPONSES ", " own "}}}\n"

static const struct row {
    const char *name;
    const char *head; /* NULL: text is the whole document */
    const char *text;
    const char *rule;
    const char *path;
} rows[] = {
#include "openapi-validate/tests/rules/content.def"
#include "openapi-validate/tests/rules/document.def"
#include "openapi-validate/tests/rules/paths.def"
};

/* ---- running the requests ---- */

static void run_on(struct reading *run, const char *head, const char *text)
{
    scoped(mem_free) char *whole = str_format("%s%s", head ? head : "", text);
    if (reading_of(run, text_of(whole)))
        (void)check_document(&run->check);
}

static bool is_finding(const struct finding *finding, const char *rule, const char *path)
{
    scoped(buf_free) struct buf at = BUF(4096);
    node_path(finding->node, &at);
    return strcmp(finding->rule, rule) == 0 && strcmp(buf_str(&at), path) == 0;
}

static bool has_finding(const struct reading *run, const char *rule, const char *path)
{
    for (size_t level = 0; level < LEVEL_COUNT; level++)
        for (size_t i = 0; i < run->findings->count[level]; i++)
            if (is_finding(&run->findings->item[level][i], rule, path))
                return true;
    return false;
}

/* Print the actual findings after a failure. */
static void print_findings(const struct reading *run)
{
    for (size_t level = 0; level < LEVEL_COUNT; level++)
        for (size_t i = 0; i < run->findings->count[level]; i++) {
            const struct finding *finding = &run->findings->item[level][i];
            print_message("%s, line %u: %s\n", finding->rule, finding->line, finding->message);
        }
}

static void check(void **state)
{
    const struct row *row = *state;
    scoped(reading_free) struct reading run;
    run_on(&run, row->head, row->text);
    bool found = has_finding(&run, row->rule, row->path);
    if (!found)
        print_findings(&run);
    assert_true(found);
}

/* ---- validity ---- */

static const struct level_row {
    const char *name;
    const char *head;
    const char *text;
    size_t errors;
    size_t warnings;
} level_rows[] = {
    { "a field of a later version", HEAD_3_0, "paths: {}\nservers: [{url: /}]\nwebhooks: {}\n", 1,
      0 },
    { "a field of a still later version", HEAD_3_1,
      "paths: {}\nservers: [{url: /}]\n$self: https://a.test/\n", 1, 0 },
    { "a keyword of JSON Schema before 3.1", HEAD_3_0,
      "servers: [{url: /}]\n" PARAMETER("name: a, in: query, schema: {const: 1}"), 1, 1 },
    { "mutualTLS before 3.1", HEAD_3_0,
      "servers: [{url: /}]\nsecurity: [{s: []}]\n" SECURITY("type: mutualTLS"), 1, 0 },
    { "a tag that means nothing here", HEAD_3_1, "paths: {}\nservers: [{url: /}]\nx-a: !mine 1\n",
      0, 1 },
    { "allowEmptyValue in a header of 3.0", HEAD_3_0,
      "servers: [{url: /}]\n" PARAMETER("name: a, in: header, allowEmptyValue: true, schema: {}"),
      0, 2 },
    { "a media type with a description in 3.2", HEAD_3_2,
      "servers: [{url: /}]\npaths: {/a: {post: {operationId: a, security: [], " RESPONSES
      ", requestBody: "
      "{content: {text/plain: {$ref: '#/components/mediaTypes/M'}}}}}}\n"
      "components: {mediaTypes: {M: {description: d, schema: {}}}}\n",
      0, 1 },
    { "a body that replaces the path's", HEAD_2_0,
      BOTH("{name: a, in: body, schema: {}}",
           "security: [], parameters: [{name: a, in: body, schema: {type: object}}]"),
      0, 2 },
    { "a file of the path instead of a body", HEAD_2_0,
      BOTH("{name: a, in: formData, type: file}", "security: [], consumes: [multipart/form-data]"),
      0, 2 },
    { "a file in a vendor's form", HEAD_2_0,
      BOTH("{name: a, in: formData, type: file}",
           "security: [], consumes: [text/plain, multipart/vnd.a+form-data;v=1]"),
      0, 2 },
    { "a file in a form with a parameter", HEAD_2_0,
      BOTH("{name: a, in: formData, type: file}",
           "security: [], consumes: [application/x-www-form-urlencoded; charset=utf-8]"),
      0, 2 },
    { "two bodies of the path are reported once", HEAD_2_0,
      BOTH("{name: a, in: body, schema: {}}, {name: b, in: body, schema: {}}", "security: []"), 1,
      2 },
    { "a default of null", HEAD_3_0, "servers: [{url: /}]\n" SCHEMA("type: string, default: null"),
      0, 2 },
    { "a default of null where it may be", HEAD_3_0,
      "servers: [{url: /}]\n" SCHEMA("type: string, nullable: true, default: null"), 0, 1 },
    { "a default of no type", HEAD_3_0, "servers: [{url: /}]\n" SCHEMA("default: 1"), 0, 1 },
    { "a default of another type in 3.1", HEAD_3_1,
      "servers: [{url: /}]\n" SCHEMA("type: string, default: 1"), 0, 2 },
    { "a link into a document that was not read", HEAD_3_0,
      "servers: [{url: /}]\npaths: {/a: {$ref: 'a.yaml'}}\n"
      "components: {links: {l: {operationId: a}}}\n",
      0, 2 },
    { "a file as the answer", HEAD_2_0,
      "paths: {}\nresponses: {r: {description: d, schema: {type: file}}}\n", 0, 2 },
};

static void check_levels(void **state)
{
    const struct level_row *row = *state;
    scoped(reading_free) struct reading run;
    run_on(&run, row->head, row->text);
    print_findings(&run);
    assert_int_equal(run.findings->count[LEVEL_ERROR], row->errors);
    assert_int_equal(run.findings->count[LEVEL_WARNING], row->warnings);
}

/* ---- validity by version ---- */

#define DOCS(url)     "paths: {}\nexternalDocs: {url: '" url "'}\n"
#define SERVER(more)  "paths: {}\nservers: [{" more "}]\n"
#define MEDIA(more)   "paths: {}\ncomponents: {mediaTypes: {M: {" more "}}}\n"
#define SCHEMAS(more) "paths: {}\ncomponents: {schemas: {" more "}}\n"
#define CALLBACK(parameters, key) \
    OPERATION("parameters: [" parameters "], callbacks: {c: {'" key "': {}}}")
#define LINK(ref)                                                                             \
    "paths: {'/b/{x}': {parameters: [{name: x, in: path, required: true, schema: {}}], get: " \
    "{responses: {200: {description: d, links: {l: {operationRef: '" ref "'}}}}}}}\n"

static const struct verdict_row {
    const char *name;
    const char *head;
    const char *text;
    bool is_valid;
} verdict_rows[] = {
#include "openapi-validate/tests/rules/verdicts.def"
};

static void check_verdict(void **state)
{
    const struct verdict_row *row = *state;
    scoped(reading_free) struct reading run;
    run_on(&run, row->head, row->text);
    print_findings(&run);
    assert_int_equal(run.findings->count[LEVEL_ERROR] == 0, row->is_valid);
}

/* ---- valid documents ---- */

static const struct good {
    const char *name;
    const char *text;
} goods[] = {
    { "2.0",
      HEAD_2_0 "host: a.test:80\nbasePath: /v1\nschemes: [https]\nsecurity: [{k: []}]\n"
               "securityDefinitions: {k: {type: apiKey, name: k, in: header}}\n"
               "consumes: [multipart/form-data]\n"
               "paths:\n  /a/{id}:\n    post:\n      operationId: a\n      parameters:\n"
               "      - {name: id, in: path, required: true, type: integer, minimum: 1}\n"
               "      - {name: f, in: formData, type: file}\n"
               "      - {name: l, in: query, type: array, items: {type: string}, "
               "collectionFormat: multi}\n"
               "      responses: {200: {description: d, schema: {$ref: '#/definitions/S'}}}\n"
               "definitions: {S: {type: object, required: [a], properties: {a: {type: "
               "string, format: date, default: 2024-02-29}}}}\n" },
    { "3.0", HEAD_3_0
      "servers: [{url: 'https://{r}.a.test', variables: {r: {default: eu, enum: [eu, us]}}}]\n"
      "security: [{k: []}]\ntags: [{name: t, description: d}]\n"
      "paths:\n  /a/{id}:\n    parameters: [{$ref: '#/components/parameters/id'}]\n    get:\n"
      "      operationId: a\n      tags: [t]\n      responses:\n        2XX:\n          "
      "description: d\n          content: {application/json: {schema: {$ref: "
      "'#/components/schemas/S'}, example: {a: null, next: {a: x}}}}\n"
      "      callbacks: {c: {'{$request.body#/u}': {post: {operationId: b, responses: {default: "
      "{description: d}}}}}}\n"
      "components:\n  securitySchemes: {k: {type: http, scheme: Bearer, bearerFormat: JWT}}\n"
      "  parameters: {id: {name: id, in: path, required: true, schema: {type: string, pattern: "
      "'^\\u0061+\\d$'}}}\n"
      "  schemas: {S: {type: object, required: [a], properties: {a: {type: string, nullable: "
      "true}, next: {$ref: '#/components/schemas/S'}}}}\n" },
    { "3.1", HEAD_3_1
      "servers: [{url: 'https://a.test'}]\nsecurity: [{k: [role]}]\n"
      "webhooks: {w: {post: {operationId: w, requestBody: {content: {application/json: {schema: "
      "{$ref: '#/components/schemas/S'}, example: {a: [1, x]}}}}, responses: {204: {description: "
      "d}}}}}\n"
      "components:\n  securitySchemes: {k: {type: mutualTLS}}\n"
      "  schemas: {S: {$id: 'https://a.test/s', type: [object, 'null'], foo: 1, properties: {a: "
      "{$ref: '#list'}, b: true}, $defs: {L: {$anchor: list, type: array, prefixItems: [{const: "
      "1}], items: {type: string, minLength: 1}}}}}\n" },
    { "3.2", HEAD_3_2
      "$self: https://a.test/o.yaml\nservers: [{url: 'https://a.test', name: n}]\n"
      "security: [{k: []}]\ntags: [{name: t, description: d}, {name: u, description: d, parent: "
      "t}]\n"
      "paths: {/a: {query: {operationId: a, tags: [u], parameters: [{name: q, in: querystring, "
      "content: {application/json: {schema: {type: object}}}}], responses: {200: {content: "
      "{application/jsonl: {itemSchema: {$ref: 'https://a.test/o.yaml#/components/schemas/S'}}}}}}"
      ", additionalOperations: {LOCK: {operationId: b}}}}\n"
      "components: {schemas: {S: {type: string, xml: {nodeType: text}}}, securitySchemes: {k: "
      "{type: oauth2, flows: {deviceAuthorization: {deviceAuthorizationUrl: /d, tokenUrl: /t, "
      "scopes: {}}}}}}\n" },
    { "JSON with \\u and big numbers",
      "{\"openapi\":\"3.1.0\",\"info\":{\"title\":\"\\u00e9\\ud83d\\ude00\",\"version\":\"1\","
      "\"description\":\"d\",\"contact\":{}},\"servers\":[{\"url\":\"/\"}],\"paths\":{},"
      "\"x-big\":12345678901234567890123}" },
    { "what YAML 1.2 calls text", HEAD_3_1 "servers: [{url: /}]\npaths: {}\ncomponents: {schemas: "
                                           "{S: {type: string, enum: [yes, no, on, y, 2024-01-01, "
                                           "1_000, 0b1, !!str 5, \"true\"]}, T: {$ref: "
                                           "'#/components/schemas/U/not'}, U: {not: {$ref: "
                                           "'#/components/schemas/S'}, anyOf: [{$ref: "
                                           "'#/components/schemas/T'}]}}}\n" },
};

static void check_good(void **state)
{
    const struct good *good = *state;
    scoped(reading_free) struct reading run;
    run_on(&run, NULL, good->text);
    size_t count = 0;
    for (size_t level = 0; level < LEVEL_COUNT; level++)
        count += run.findings->count[level];
    if (count > 0)
        print_findings(&run);
    assert_int_equal(count, 0);
}

/* Every rule of the table has a row; CHECK_INCOMPLETE, LIMIT, DOC_NOT_FETCHED and REF_NOT_FETCHED
 * have tests. */
static void every_rule_has_a_row(void **state)
{
    static const char *const ids[] = {
#define RULE(kind, level, id, words) id,
#include "openapi-validate/document/rules.def"
    };
    (void)state;
    for (enum rule rule = 0; rule < RULE_COUNT; rule++) {
        bool found = rule == RULE_CHECK_INCOMPLETE || rule == RULE_LIMIT ||
                     rule == RULE_DOC_NOT_FETCHED || rule == RULE_REF_NOT_FETCHED;
        for (size_t i = 0; !found && i < countof(rows); i++)
            found = strcmp(rows[i].rule, ids[rule]) == 0;
        if (!found)
            fail_msg("no row for %s", ids[rule]);
    }
}

int main(void)
{
    const struct CMUnitTest singles[] = { cmocka_unit_test(every_rule_has_a_row) };
    return RUN_ROWS(rows, check) + RUN_ROWS(goods, check_good) +
           RUN_ROWS(level_rows, check_levels) + RUN_ROWS(verdict_rows, check_verdict) +
           cmocka_run_group_tests(singles, NULL, NULL);
}
