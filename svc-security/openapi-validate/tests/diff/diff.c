/* svc-security/openapi-validate/tests/diff/diff.c - pairs of documents and their changes. */
#include "openapi-validate/diff/diff.h"

#include <glob.h>
#include <string.h>

#include "base/os/file.h"
#include "openapi-validate/tests/reading.h"
#include "rows.h"
#include "text/json.h"

/* ---- templates ---- */

#define DOC "openapi: 3.1.0\n%s\n"
#define CIRCLE_CALLS                                                                   \
    "paths: {/a: {post: {requestBody: {content: {application/json: {schema: {$ref: "   \
    "'#/components/schemas/S'}}}}}}, "                                                 \
    "/b: {post: {requestBody: {content: {application/json: {schema: {$ref: "           \
    "'#/components/schemas/T'}}}}, "                                                   \
    "responses: {200: {content: {application/json: {schema: {$ref: "                   \
    "'#/components/schemas/S'}}}}}}}}\n"                                               \
    "webhooks: {c: {post: {requestBody: {content: {application/json: {schema: {$ref: " \
    "'#/components/schemas/T'}}}}}}}\n"
#define PATHS  "openapi: 3.1.0\npaths: {%s}\n"
#define SCHEME "openapi: 3.1.0\npaths: {}\ncomponents: {securitySchemes: {s: {%s}}}\n"
#define IN(place) \
    "openapi: 3.1.0\npaths: {'/a/{q}': {post: {parameters: [{name: q, in: " place ", %s}]}}}\n"
#define CALL "openapi: 3.1.0\npaths: {/a: {post: {%s}}}\n"
#define QUERY \
    "openapi: 3.1.0\npaths: {/a: {post: {parameters: [{name: q, in: query, schema: {%s}}]}}}\n"
#define HEADER \
    "openapi: 3.1.0\npaths: {/a: {post: {parameters: [{name: h, in: header, schema: {%s}}]}}}\n"
#define BODY                                                                                  \
    "openapi: 3.1.0\npaths: {/a: {post: {requestBody: {content: {application/json: {schema: " \
    "{%s}}}}}}}\n"
#define REPLY                                                                            \
    "openapi: 3.1.0\npaths: {/a: {post: {responses: {200: {content: {application/json: " \
    "{schema: {%s}}}}}}}}\n"
#define BODY_3_0                                                                              \
    "openapi: 3.0.4\npaths: {/a: {post: {requestBody: {content: {application/json: {schema: " \
    "{%s}}}}}}}\n"
#define FORM                                                      \
    "openapi: 3.1.0\npaths: {/a: {post: {requestBody: {content: " \
    "{application/x-www-form-urlencoded: {schema: {properties: {p: {%s}}}}}}}}}\n"
#define REPLY_HEADER \
    "openapi: 3.1.0\npaths: {/a: {post: {responses: {200: {headers: {X-H: {%s}}}}}}}\n"

#define HOOK                                                                           \
    "openapi: 3.1.0\nwebhooks: {w: {post: {requestBody: {content: {application/json: " \
    "{schema: {%s}}}}}}}\n"
#define HOOK_REPLY                                                                         \
    "openapi: 3.1.0\nwebhooks: {w: {post: {responses: {200: {content: {application/json: " \
    "{schema: {%s}}}}}}}}\n"

static const struct row {
    const char *name;
    const char *document; /* with a %s for old and new */
    const char *old;
    const char *new;
    const char *want; /* all changes: "error id; info id" */
} rows[] = {
#include "openapi-validate/tests/diff/documents.def"
#include "openapi-validate/tests/diff/keywords.def"
#include "openapi-validate/tests/diff/requests.def"
#include "openapi-validate/tests/diff/responses.def"
};

/* ---- running the requests ---- */

static void read_side(struct reading *side, const char *text)
{
    bool ok = reading_of(side, text_of(text)) && check_references(&side->check);
    if (!ok)
        fail_msg("%s", side->findings->item[LEVEL_ERROR][0].message);
}

static const char *const levels[] = { "error", "warning", "info" };

/* List all changes between two texts. */
static void list_changes(const char *old_text, const char *new_text, struct buf *out)
{
    enum { TODAY = 20600 }; /* a day of 2026 */
    scoped(reading_free) struct reading old;
    scoped(reading_free) struct reading new;
    read_side(&old, old_text);
    read_side(&new, new_text);
    scoped(diff_free) struct diff diff = { .today = TODAY };
    scoped(json_free) cJSON *result = json_object();
    diff.old.check = &old.check;
    diff.new.check = &new.check;
    diff_run(&diff);
    diff_write(&diff, result);
    for (size_t i = 0; i < diff.kept; i++)
        buf_format(out, "%s%s %s", i > 0 ? "; " : "", levels[diff.changes[i].level],
                   diff.changes[i].id);
}

/* Insert a part into the document. */
static char *fill(const char *document, const char *part)
{
    const char *hole = strstr(document, "%s");
    return str_format("%.*s%s%s", (int)(hole - document), document, part, hole + 2);
}

/* A document has no changes to itself. */
static void check_itself(const char *document)
{
    scoped(buf_free) struct buf got = BUF(1 << 16);
    list_changes(document, document, &got);
    assert_string_equal(buf_str(&got), "");
}

static void check(void **state)
{
    const struct row *row = *state;
    scoped(mem_free) char *old = fill(row->document, row->old);
    scoped(mem_free) char *new = fill(row->document, row->new);
    scoped(buf_free) struct buf got = BUF(1 << 16);
    list_changes(old, new, &got);
    assert_string_equal(buf_str(&got), row->want);
    check_itself(old);
    check_itself(new);
}

/* ---- from one specification to another ---- */

static const struct across {
    const char *name;
    const char *old;
    const char *new;
    const char *want;
} across[] = {
    { "2.0 and 3.0 say the same",
      "swagger: '2.0'\nconsumes: [application/json]\nproduces: [application/json]\n"
      "paths: {/a: {post: {parameters: [{name: q, in: query, type: integer, format: int64}, {name: "
      "b, in: body, required: true, schema: {$ref: '#/definitions/S'}}], responses: {200: {schema: "
      "{$ref: '#/definitions/S'}, headers: {h: {type: string}}}}}}}\n"
      "definitions: {S: {type: object, properties: {a: {type: string}}}}\n",
      "openapi: 3.0.4\npaths: {/a: {post: {parameters: [{name: q, in: query, schema: {type: "
      "integer, format: int64}}], requestBody: {required: true, content: {application/json: "
      "{schema: {$ref: '#/components/schemas/S'}}}}, responses: {200: {content: "
      "{application/json: {schema: {$ref: '#/components/schemas/S'}}}, headers: {h: {schema: "
      "{type: string}}}}}}}}\n"
      "components: {schemas: {S: {type: object, properties: {a: {type: string}}}}}\n",
      "" },
    { "a form of 2.0",
      "swagger: '2.0'\nconsumes: [application/x-www-form-urlencoded]\npaths: {/a: {post: "
      "{parameters: [{name: b, in: formData, type: string, required: true}, {name: a, in: "
      "formData, type: integer}]}}}\n",
      "openapi: 3.0.4\npaths: {/a: {post: {requestBody: {required: true, content: "
      "{application/x-www-form-urlencoded: {schema: {type: object, required: [b, a], properties: "
      "{a: {type: integer}, b: {type: string}}}}}}}}}\n",
      "error request-property-became-required" },
    { "nullable of 3.0 is null of 3.1",
      "openapi: 3.0.4\npaths: {/a: {get: {responses: {200: {content: {application/json: {schema: "
      "{type: string, nullable: true}}}}}}}}\n",
      "openapi: 3.1.0\npaths: {/a: {get: {responses: {200: {content: {application/json: {schema: "
      "{type: [string, 'null']}}}}}}}}\n",
      "" },
    { "another host, base path and scheme in 2.0",
      "swagger: '2.0'\nhost: a.example\nbasePath: /v1\nschemes: [http, https]\npaths: {}\n",
      "swagger: '2.0'\nhost: a.example\nbasePath: /v2\nschemes: [http, https]\npaths: {}\n",
      "warning server-removed; warning server-removed" },
    { "one scheme less in 2.0",
      "swagger: '2.0'\nhost: a.example\nschemes: [http, https]\npaths: {}\n",
      "swagger: '2.0'\nhost: a.example\nschemes: [https]\npaths: {}\n", "warning server-removed" },
    { "an operation's schemes in 2.0",
      "swagger: '2.0'\nhost: a.example\nschemes: [http, https]\npaths: {/a: {get: {}}}\n",
      "swagger: '2.0'\nhost: a.example\nschemes: [http, https]\npaths: {/a: {get: {schemes: "
      "[https]}}}\n",
      "warning server-removed" },
    { "the same server in 2.0 and 3.0",
      "swagger: '2.0'\nhost: a.example\nbasePath: /v1\nschemes: [https]\npaths: {}\n",
      "openapi: 3.0.4\nservers: [{url: 'https://a.example/v1/'}]\npaths: {}\n", "" },
    { "another server in 3.0 than in 2.0",
      "swagger: '2.0'\nhost: a.example\nbasePath: /v1\nschemes: [https]\npaths: {}\n",
      "openapi: 3.0.4\nservers: [{url: 'https://b.example/v1'}]\npaths: {}\n",
      "warning server-removed" },
    { "any scheme in 2.0", "swagger: '2.0'\nhost: a.example\npaths: {}\n",
      "openapi: 3.0.4\nservers: [{url: 'https://a.example'}]\npaths: {}\n", "" },
    { "a relative server", "swagger: '2.0'\nbasePath: /v1\npaths: {}\n",
      "openapi: 3.0.4\nservers: [{url: 'https://a.example/v1'}]\npaths: {}\n", "" },
    { "exclusive bounds of 3.0 and 3.1",
      "openapi: 3.0.4\npaths: {/a: {post: {requestBody: {content: {application/json: {schema: "
      "{type: number, maximum: 5, exclusiveMaximum: true}}}}}}}\n",
      "openapi: 3.1.0\npaths: {/a: {post: {requestBody: {content: {application/json: {schema: "
      "{type: number, exclusiveMaximum: 4}}}}}}}\n",
      "error request-body-exclusive-max-decreased" },
};

static void check_across(void **state)
{
    const struct across *row = *state;
    scoped(buf_free) struct buf got = BUF(1 << 16);
    list_changes(row->old, row->new, &got);
    assert_string_equal(buf_str(&got), row->want);
    check_itself(row->old);
    check_itself(row->new);
}

/* ---- documents of the fuzz corpus ---- */

static void check_file(const char *path)
{
    scoped(buf_free) struct buf text = BUF(1 << 20);
    struct err err = { 0 };
    if (!file_read(path, &text, &err))
        fail_msg("%s", err.message);
    char *document = text.bytes;
    while (document) { /* a file has two documents */
        char *line = strstr(document, "\n====\n");
        struct reading reading;
        if (line)
            *line = '\0';
        bool is_document =
            reading_of(&reading, text_of(document)) && check_references(&reading.check);
        reading_free(&reading);
        if (is_document)
            check_itself(document);
        document = line ? line + strlen("\n====\n") : NULL;
    }
}

static void the_corpus_is_itself(void **state)
{
    scoped(globfree) glob_t files = { 0 };
    (void)state;
    assert_int_equal(
        glob(SOURCE_ROOT "/svc-security/openapi-validate/tests/corpus/*/*", 0, NULL, &files), 0);
    assert_true(files.gl_pathc > 8);
    for (size_t i = 0; i < files.gl_pathc; i++)
        check_file(files.gl_pathv[i]);
}

/* ---- every rule of the table has a row ---- */

static bool is_wanted(const char *part)
{
    for (size_t i = 0; i < countof(rows); i++)
        if (strstr(rows[i].want, part))
            return true;
    return false;
}

static void every_change_has_a_row(void **state)
{
    (void)state;
    static const char *const ids[] = {
#define CHANGE(kind, level, id, words) id,
#include "openapi-validate/diff/diff.def"
#define SCHEMA_CHANGE(kind, suffix, parameter, request, response, words) "-" suffix,
#include "openapi-validate/diff/diff.def"
    };
    for (size_t i = 0; i < countof(ids); i++)
        if (!is_wanted(ids[i]))
            fail_msg("no row for %s", ids[i]);
}

int main(void)
{
    const struct CMUnitTest singles[] = { cmocka_unit_test(the_corpus_is_itself),
                                          cmocka_unit_test(every_change_has_a_row) };
    return RUN_ROWS(rows, check) + RUN_ROWS(across, check_across) +
           cmocka_run_group_tests(singles, NULL, NULL);
}
