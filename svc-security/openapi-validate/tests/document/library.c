/* svc-security/openapi-validate/tests/document/library.c - which documents references need, and
 * what they resolve to. The first document is https://api.test/v1/openapi.yaml. */
#include <stdio.h>
#include <string.h>

#include "openapi-validate/validate.h"
#include "rows.h"

enum { TEXTS_MAX = 3 };

#define HEAD_3_0                                                                    \
    "openapi: 3.0.4\ninfo: {title: t, version: '1', description: d, contact: {}}\n" \
    "servers: [{url: /}]\nsecurity: [{}]\npaths: {}\n"
#define HEAD_3_1                                                                    \
    "openapi: 3.1.1\ninfo: {title: t, version: '1', description: d, contact: {}}\n" \
    "servers: [{url: /}]\npaths: {}\n"
#define SCHEMA(schema) "components: {schemas: {S: " schema "}}\n"
#define LINK(uri)      "components: {links: {L: {operationRef: " uri "}}}\n"

static const struct row {
    const char *name;
    const char *first;
    struct {
        const char *path; /* expected path of the request */
        const char *text; /* NULL: the fetch fails */
    } other[TEXTS_MAX];
    const char *want; /* "number of the document:pointer rule, …" */
} rows[] = {
    { "in the same folder",
      HEAD_3_0 SCHEMA("{$ref: a.yaml#/Pet}"),
      { { "/v1/a.yaml", "Pet: {type: string}" } },
      "" },
    { "a whole document",
      HEAD_3_0 SCHEMA("{$ref: ./a.json}"),
      { { "/v1/a.json", "{\"type\": \"string\"}" } },
      "" },
    { "elsewhere on the site",
      HEAD_3_0 SCHEMA("{$ref: /common/a.yaml#/Pet}"),
      { { "/common/a.yaml", "Pet: {type: string}" } },
      "" },
    { "by its whole URL",
      HEAD_3_0 SCHEMA("{$ref: 'https://api.test:443/a.yaml#/Pet'}"),
      { { "/a.yaml", "Pet: {type: string}" } },
      "" },
    { "itself by its name",
      HEAD_3_0 SCHEMA("{$ref: openapi.yaml#/components/schemas/S/x-a}"),
      { { NULL } },
      "0:/components/schemas/S/$ref unresolved-ref" },
    { "findings in another document",
      HEAD_3_0 SCHEMA("{$ref: a.yaml#/Pet}"),
      { { "/v1/a.yaml", "Pet: {type: text, pattern: '('}" } },
      "1:/Pet/type schema-type, 1:/Pet/pattern pattern-invalid" },
    { "in the order of the documents",
      HEAD_3_0 SCHEMA("{allOf: [{$ref: b.yaml}, {$ref: a.yaml}], type: 1}"),
      { { "/v1/b.yaml", "type: b" }, { "/v1/a.yaml", "type: a" } },
      "0:/components/schemas/S/type schema-type, 1:/type schema-type, 2:/type schema-type" },
    { "nothing at the pointer",
      HEAD_3_0 SCHEMA("{$ref: a.yaml#/Cat}"),
      { { "/v1/a.yaml", "Pet: {type: string}" } },
      "0:/components/schemas/S/$ref unresolved-ref" },
    { "of another kind",
      HEAD_3_0
      "components: {schemas: {S: {$ref: a.yaml#/x}}, parameters: {P: {$ref: a.yaml#/x}}}\n",
      { { "/v1/a.yaml", "x: {type: string}" } },
      "0:/components/parameters/P/$ref ref-wrong-kind" },
    { "from one to the next, relative to each",
      HEAD_3_0 SCHEMA("{$ref: parts/a.yaml#/Pet}"),
      { { "/v1/parts/a.yaml", "Pet: {$ref: b.yaml#/Name}" },
        { "/v1/parts/b.yaml", "Name: {type: text}" } },
      "2:/Name/type schema-type" },
    { "in the other document itself",
      HEAD_3_0 SCHEMA("{$ref: a.yaml#/Pet}"),
      { { "/v1/a.yaml", "Pet: {$ref: '#/Name'}\nName: {type: text}" } },
      "1:/Name/type schema-type" },
    { "back to the first",
      HEAD_3_0 "components: {schemas: {S: {$ref: a.yaml#/Pet}, T: {type: text}}}\n",
      { { "/v1/a.yaml", "Pet: {$ref: openapi.yaml#/components/schemas/T}" } },
      "0:/components/schemas/T/type schema-type" },
    { "a loop of documents that is a tree",
      HEAD_3_0 SCHEMA("{$ref: a.yaml#/Pet}"),
      { { "/v1/a.yaml", "Pet: {properties: {p: {$ref: b.yaml#/Name}}}" },
        { "/v1/b.yaml", "Name: {properties: {n: {$ref: a.yaml#/Pet}}}" } },
      "" },
    { "a loop of references alone",
      HEAD_3_0 SCHEMA("{$ref: a.yaml#/Pet}"),
      { { "/v1/a.yaml", "Pet: {$ref: openapi.yaml#/components/schemas/S}" } },
      "0:/components/schemas/S ref-cycle" },
    { "a part before what is around it",
      HEAD_3_0
      "components: {schemas: {S: {$ref: a.yaml#/Pet/properties/p}, T: {$ref: a.yaml#/Pet}}}\n",
      { { "/v1/a.yaml", "Pet: {properties: {p: {type: text}}}" } },
      "1:/Pet/properties/p/type schema-type" },
    { "a path item",
      "openapi: 3.0.4\ninfo: {title: t, version: '1', description: d, contact: {}}\n"
      "servers: [{url: /}]\nsecurity: [{}]\npaths: {'/a/{id}': {$ref: a.yaml}}\n",
      { { "/v1/a.yaml", "get: {operationId: a, responses: {200: {description: d}}}" } },
      "1:/get path-parameter-missing" },
    { "by a discriminator's mapping, which has names, too",
      HEAD_3_0 SCHEMA(
          "{oneOf: [{type: object}], discriminator: {propertyName: p, mapping: "
          "{a: a.yaml#/A, b: ./b.yaml, c: cat.yaml, s: S, t: '#/components/schemas/S'}}}"),
      { { "/v1/a.yaml", "A: {type: text}" }, { "/v1/b.yaml", "pattern: '('" } },
      "1:/A/type schema-type, 2:/pattern pattern-invalid" },
    { "a mapping to nothing, and to what did not come",
      HEAD_3_0 SCHEMA("{oneOf: [{type: object}], discriminator: {propertyName: p, mapping: "
                      "{a: a.yaml#/B, b: ./b.yaml, c: 'https://other.test/c.yaml#/C'}}}"),
      { { "/v1/a.yaml", "A: {type: text}" }, { "/v1/b.yaml", NULL } },
      "0:/components/schemas/S/discriminator/mapping/a discriminator-mapping, "
      "0:/components/schemas/S/discriminator/mapping/b ref-not-fetched" },
    { "by a link's operationRef",
      HEAD_3_0 LINK("a.yaml#/paths/~1a/get"),
      { { "/v1/a.yaml", "paths: {/a: {get: {responses: {200: {description: d}}}}}" } },
      "" },
    { "an operationRef to something else",
      HEAD_3_0 LINK("a.yaml#/paths/~1a"),
      { { "/v1/a.yaml", "paths: {/a: {get: {responses: {200: {description: d}}}}}" } },
      "0:/components/links/L/operationRef link-target" },
    { "an operationRef to what did not come",
      HEAD_3_0 LINK("a.yaml#/paths/~1a/get"),
      { { "/v1/a.yaml", NULL } },
      "0:/components/links/L/operationRef ref-not-fetched" },

    { "another site",
      HEAD_3_0 SCHEMA("{$ref: 'https://other.test/a.yaml#/Pet'}"),
      { { NULL } },
      "0:/components/schemas/S/$ref external-ref-not-resolved" },
    { "another scheme",
      HEAD_3_0 SCHEMA("{$ref: 'http://api.test/a.yaml'}"),
      { { NULL } },
      "0:/components/schemas/S/$ref external-ref-not-resolved" },
    { "another port",
      HEAD_3_0 SCHEMA("{$ref: 'https://api.test:8443/a.yaml'}"),
      { { NULL } },
      "0:/components/schemas/S/$ref external-ref-not-resolved" },
    { "another site behind two slashes",
      HEAD_3_0 SCHEMA("{$ref: //other.test/a.yaml}"),
      { { NULL } },
      "0:/components/schemas/S/$ref external-ref-not-resolved" },
    { "no URL to fetch",
      HEAD_3_0 SCHEMA("{$ref: 'file:///etc/passwd'}"),
      { { NULL } },
      "0:/components/schemas/S/$ref external-ref-not-resolved" },
    { "what did not come",
      HEAD_3_0 SCHEMA("{$ref: a.yaml#/Pet}"),
      { { "/v1/a.yaml", NULL } },
      "0:/components/schemas/S/$ref ref-not-fetched" },
    { "neither YAML nor JSON",
      HEAD_3_0 SCHEMA("{$ref: a.yaml#/Pet}"),
      { { "/v1/a.yaml", "a: [" } },
      "0:/components/schemas/S/$ref external-ref-not-resolved, 1: invalid-yaml" },
    { "an empty document",
      HEAD_3_0 SCHEMA("{$ref: a.yaml#/Pet}"),
      { { "/v1/a.yaml", "" } },
      "0:/components/schemas/S/$ref external-ref-not-resolved, 1: invalid-yaml" },
    { "a key twice there",
      HEAD_3_0 SCHEMA("{$ref: a.yaml#/Pet}"),
      { { "/v1/a.yaml", "Pet: {type: string}\nPet: {type: string}" } },
      "1:/Pet duplicate-key" },

    { "$id is where references begin",
      HEAD_3_1 SCHEMA("{$id: /schemas/s, allOf: [{$ref: a.yaml}]}"),
      { { "/schemas/a.yaml", "type: text" } },
      "1:/type schema-type" },
    { "$id within $id",
      HEAD_3_1 SCHEMA("{$id: /schemas/s, allOf: [{$id: deep/t, not: {$ref: a.yaml}}]}"),
      { { "/schemas/deep/a.yaml", "type: text" } },
      "1:/type schema-type" },
    { "$id of a whole document",
      HEAD_3_1 SCHEMA("{$ref: a.yaml}"),
      { { "/v1/a.yaml", "$id: /schemas/a\nallOf: [{$ref: b.yaml}]" },
        { "/schemas/b.yaml", "type: text" } },
      "2:/type schema-type" },
    { "but not before 3.1",
      HEAD_3_0 SCHEMA("{allOf: [{$ref: a.yaml}], x-a: {$id: /schemas/s, $ref: b.yaml}}"),
      { { "/v1/a.yaml", "type: text" }, { "/v1/b.yaml", "type: text" } },
      "1:/type schema-type" },
    { "$self is, too",
      "openapi: 3.2.0\n$self: /api/o.yaml\n"
      "info: {title: t, version: '1', description: d, contact: {}}\nservers: [{url: /}]\npaths: "
      "{}\n" SCHEMA("{$ref: a.yaml}"),
      { { "/api/a.yaml", "type: text" } },
      "1:/type schema-type" },
    { "an anchor there",
      HEAD_3_1 SCHEMA("{$ref: a.yaml#pet}"),
      { { "/v1/a.yaml", "$defs: {P: {$anchor: pet, type: text}}" } },
      "1:/$defs/P/type schema-type" },
    { "no such anchor there",
      HEAD_3_1 SCHEMA("{$ref: a.yaml#cat}"),
      { { "/v1/a.yaml", "$defs: {P: {$anchor: pet}}" } },
      "0:/components/schemas/S/$ref unresolved-ref" },
};

/* ---- a library without a network ---- */

static struct library *library_of(const char *first)
{
    struct target place = { 0 };
    assert_true(target_parse_url(TEXT("https://api.test/v1/openapi.yaml"), &place, NULL));
    struct library *library = library_new(&place);
    library->entry[0].text = text_of(first);
    return library;
}

/* As in gather_documents(). */
static void request_documents(struct library *library, size_t number)
{
    scoped(document_free) struct document document = { 0 };
    if (!library_peek(library, number, &document))
        return;
    if (number == 0)
        library->has_ids = (version_of(document.root) & V31_UP) != 0;
    library_want(library, document.root);
}

static void fill(struct library *library, const struct row *row)
{
    request_documents(library, 0);
    for (size_t i = 1; i < library->count; i++) {
        struct library_entry *entry = &library->entry[i];
        assert_true(i <= TEXTS_MAX && row->other[i - 1].path);
        assert_string_equal(entry->target.path, row->other[i - 1].path);
        entry->text = text_of(row->other[i - 1].text ? row->other[i - 1].text : "");
        if (!row->other[i - 1].text)
            library_set_missing(entry, true, "it is not there");
        else
            request_documents(library, i);
    }
    assert_true(library->count > TEXTS_MAX || !row->other[library->count - 1].path);
}

static void add_findings(struct buf *out, const struct findings *findings, enum level level)
{
    for (size_t i = 0; i < findings->count[level]; i++) {
        const struct finding *finding = &findings->item[level][i];
        if (strcmp(finding->rule, "no-security") == 0 ||
            strcmp(finding->rule, "unused-component") == 0)
            continue;
        buf_format(out, "%s%u:", out->size > 0 ? ", " : "", finding->document);
        node_path(finding->node, out);
        buf_format(out, " %s", finding->rule);
    }
}

static void add_all(struct buf *out, struct findings *findings)
{
    findings_sort(findings);
    add_findings(out, findings, LEVEL_WARNING);
    add_findings(out, findings, LEVEL_ERROR);
}

static void run_check(struct library *library, struct buf *got)
{
    scoped(findings_free) struct findings *findings = findings_new();
    scoped(check_free) struct check check = { .document = &library->entry[0].document,
                                              .library = library,
                                              .findings = findings };
    assert_true(document_read(check.document, library->entry[0].text, findings));
    library_read(library, findings);
    assert_true(check_document(&check));
    add_all(got, findings);
}

static void check(void **state)
{
    const struct row *row = *state;
    scoped(library_free) struct library *library = library_of(row->first);
    scoped(buf_free) struct buf got = BUF(4096);
    fill(library, row);
    run_check(library, &got);
    assert_string_equal(buf_str(&got), row->want);
}

/* ---- limits ---- */

static void twenty_others(void **state)
{
    (void)state;
    scoped(buf_free) struct buf first = BUF(1 << 16);
    scoped(buf_free) struct buf got = BUF(4096);
    buf_add_str(&first, HEAD_3_0 "components: {schemas: {S: {allOf: [");
    for (int i = 1; i <= 21; i++)
        buf_format(&first, "{$ref: a%d.yaml},", i);
    buf_add_str(&first, "]}}}\n");
    scoped(library_free) struct library *library = library_of(buf_str(&first));
    request_documents(library, 0);
    assert_int_equal(library->count, LIBRARY_MAX);
    assert_string_equal(library->entry[20].target.path, "/v1/a20.yaml");
    for (size_t i = 1; i < library->count; i++)
        library->entry[i].text = TEXT("type: string");
    run_check(library, &got);
    assert_string_equal(buf_str(&got),
                        "0:/components/schemas/S/allOf/20/$ref external-ref-not-resolved");
}

/* All documents together have the node limit of one, including repetitions by aliases. */
static void nodes_are_of_all(void **state)
{
    (void)state;
    static const char bomb[] =
        "a: &a [x,x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a,*a]\n"
        "c: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b,*b]\nd: &d [*c,*c,*c,*c,*c,*c,*c,*c,*c,*c]\n"
        "e: &e [*d,*d,*d,*d,*d,*d,*d,*d,*d,*d]\ny: [*e, *e, *e, *e, *e]\n";
    scoped(library_free) struct library *library =
        library_of(HEAD_3_0 SCHEMA("{allOf: [{$ref: a.yaml}, {$ref: b.yaml}]}"));
    scoped(buf_free) struct buf got = BUF(4096);
    request_documents(library, 0);
    for (size_t i = 1; i < library->count; i++)
        library->entry[i].text = text_of(bomb);
    run_check(library, &got);
    assert_non_null(strstr(buf_str(&got), "2: limit"));
    assert_null(strstr(buf_str(&got), "1: limit"));
}

/* Without a base URL, nothing is requested. */
static void no_place(void **state)
{
    (void)state;
    struct target nowhere = { 0 };
    scoped(library_free) struct library *library = library_new(&nowhere);
    scoped(buf_free) struct buf got = BUF(4096);
    library->entry[0].text = TEXT(HEAD_3_0 SCHEMA("{$ref: 'https://api.test/a.yaml'}"));
    request_documents(library, 0);
    assert_int_equal(library->count, 1);
    run_check(library, &got);
    assert_string_equal(buf_str(&got), "0:/components/schemas/S/$ref external-ref-not-resolved");
}

/* The number of examined references is limited, which bounds the time for a document full of
 * them. */
static void joins_are_counted(void **state)
{
    (void)state;
    scoped(library_free) struct library *library =
        library_of(HEAD_3_0 SCHEMA("{allOf: [{$ref: a.yaml}, {$ref: b.yaml}]}"));
    library->joins_left = 1;
    request_documents(library, 0);
    assert_int_equal(library->count, 2);
    assert_int_equal(library->joins_left, 0);
}

int main(void)
{
    const struct CMUnitTest singles[] = {
        cmocka_unit_test(twenty_others),
        cmocka_unit_test(nodes_are_of_all),
        cmocka_unit_test(no_place),
        cmocka_unit_test(joins_are_counted),
    };
    return RUN_ROWS(rows, check) + cmocka_run_group_tests(singles, NULL, NULL);
}
