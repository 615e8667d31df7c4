/* svc-security/openapi-validate/tests/openapi-validate.c - requests and results of the tool. */
#include "tool.h"
#include "tools.h"

static const struct row {
    const char *name;
    const char *body;
    const char *code;    /* NULL: success */
    const char *pointer; /* into the result */
    const char *want;    /* its JSON, 'single quotes' for double ones */
} rows[] = {
    { "neither spec nor url", "{}", "missing_spec" },
    { "spec null counts as missing", "{'spec':null}", "missing_spec" },
    { "a number", "{'spec':5}", "invalid_type" },
    { "a previous that cannot be read", "{'spec':'a','previous':'{'}", "invalid_previous" },
    { "a previous of no version", "{'spec':'a','previous':{'a':1}}", "invalid_previous" },
    { "a previous that is a list", "{'spec':'a','previous':'[1]'}", "invalid_previous" },
    { "two previous ones", "{'spec':'a','previous':'a','previous_url':'https://a.test/'}",
      "conflicting_fields" },
    { "a previous_url without a host", "{'spec':'a','previous_url':'not-a-url'}", "invalid_url" },
    { "a previous_url that is a number", "{'spec':'a','previous_url':1}", "invalid_type" },
    { "a comment in JSON", "{'spec':'{\\n // x\\n}'}", NULL, "/errors/0/message",
      "'Not JSON, line 2, column 2: comments are not allowed; remove this one.'" },
    { "a block comment in JSON", "{'spec':'{\\'a\\': /* x */ 1}'}", NULL, "/errors/0/rule",
      "'json-comment'" },
    { "a comment of YAML in JSON", "{'spec':'{a: 1 # x\\n}'}", NULL, "/errors/0/rule",
      "'doc-version-missing'" },
    { "U+0000", "{'spec':'a\\u0000'}", "invalid_value" },
    { "a url without a host", "{'url':'not-a-url'}", "invalid_url" },

    { "JSON in a string", "{'spec':'{}'}", NULL, "/format", "'json'" },
    { "YAML", "{'spec':'a: 1'}", NULL, "/format", "'yaml'" },
    { "an object", "{'spec':{}}", NULL, "/format", "'json'" },
    { "inline", "{'spec':{}}", NULL, "/source", "'inline'" },
    { "the source's URL", "{'spec':{},'url':'https://a.test/'}", NULL, "/source_url", "''" },
    { "an unreadable text", "{'spec':'{'}", NULL, "/valid", "false" },
    { "its one error", "{'spec':'{\\n x'}", NULL, "/errors",
      "[{'path':'','message':'Not JSON, line 2, column 2: a name in quotes must stand here.',"
      "'rule':'invalid-json','line':2,'column':2}]" },
    { "its stats", "{'spec':'{'}", NULL, "/stats/paths", "0" },
    { "places of an object are its own", "{ 'spec' : {'openapi': 1}, 'a': 2}", NULL,
      "/errors/0/column", "2" },
    { "version", "{'spec':'openapi: 3.1.0'}", NULL, "/version", "'3.1.0'" },
    { "a number as version", "{'spec':{'swagger':2.0}}", NULL, "/version", "'2.0'" },
    { "no version", "{'spec':{}}", NULL, "/version", "''" },
    { "specification", "{'spec':{'swagger':'2.0'}}", NULL, "/specification", "'swagger'" },
    { "title", "{'spec':{'info':{'title':'T'}}}", NULL, "/title", "'T'" },
    { "a title that is not a string", "{'spec':{'info':{'title':{}}}}", NULL, "/title", "''" },
    { "a version that is a number", "{'spec':'info: {version: 1.10}'}", NULL, "/api_version",
      "'1.10'" },
    { "count of errors", "{'spec':'openapi: 3.0.4'}", NULL, "/error_count", "2" },
    { "no diff without previous", "{'spec':'openapi: 3.0.4'}", NULL, "/breaking_changes", NULL },
    { "a witness",
      "{'spec':'{openapi: 3.0.4, paths: {}}','previous':'{openapi: 3.0.4, paths: {/a: {get: "
      "{}}}}'}",
      NULL, "/breaking_changes/0/witness", "'GET /a'" },
    { "nothing changed", "{'spec':'openapi: 3.0.4','previous':{'openapi':'3.0.4'}}", NULL,
      "/breaking_changes", "[]" },
    { "summary",
      "{'spec':'{openapi: 3.0.4, info: {version: b}}','previous':'{swagger: 2.0, info: {version: "
      "a}, paths: {/a: {get: {}}}}'}",
      NULL, "/diff_summary",
      "{'breaking':true,'errors':1,'warnings':0,'infos':0,'previous_version':'a',"
      "'current_version':'b','truncated':false}" },
    { "a new text that cannot be read", "{'spec':'{','previous':'openapi: 3.0.4'}", NULL,
      "/diff_summary/truncated", "true" },

    /* rulesets */
    { "an entry without rule and path", "{'spec':'a','ignore':[{'reason':'x'}]}", "invalid_value" },
    { "a day that does not exist", "{'spec':'a','ignore':[{'rule':'x','until':'2026-02-30'}]}",
      "invalid_value" },
    { "a day in words", "{'spec':'a','ignore':[{'rule':'x','until':'soon'}]}", "invalid_value" },
    { "an ignored error counts", "{'spec':'openapi: 3.0.4','ignore':[{'rule':'info-required'}]}",
      NULL, "/error_count", "2" },
    { "an ignored error is not listed",
      "{'spec':'openapi: 3.0.4','ignore':[{'rule':'info-required'}]}", NULL, "/ignored",
      "{'errors':1,'warnings':0,'hints':0,'expired':0}" },
    { "everything is ignored, and the document still is not valid",
      "{'spec':'openapi: 3.0.4','ignore':[{'rule':'info-required'},{'rule':'paths-required'}]}",
      NULL, "/errors", "[]" },
    { "valid stays",
      "{'spec':'openapi: 3.0.4','ignore':[{'rule':'info-required'},{'rule':"
      "'paths-required'}]}",
      NULL, "/valid", "false" },
    { "an entry that has expired",
      "{'spec':'openapi: 3.0.4','ignore':[{'rule':'info-required','until':'1969-12-31'}]}", NULL,
      "/ignored", "{'errors':0,'warnings':0,'hints':0,'expired':1}" },
    { "a place and all below it",
      "{'spec':'{openapi: 3.0.4, info: {}, paths: {}}','ignore':[{'path':'/info'}]}", NULL,
      "/ignored/errors", "2" },
    { "a place that only begins alike",
      "{'spec':'{openapi: 3.0.4, info: {}, paths: {}}','ignore':[{'path':'/inf'}]}", NULL,
      "/ignored/errors", "0" },
    { "a level that does not exist", "{'spec':'a','severity':{'x':'fatal'}}", "invalid_value" },
    { "a level that is not a text", "{'spec':'a','severity':{'x':1}}", "invalid_value" },
    { "levels that are a list", "{'spec':'a','severity':['x']}", "invalid_type" },
    { "an error that is a warning",
      "{'spec':'openapi: 3.0.4','severity':{'info-required':'warning','paths-required':'info'}}",
      NULL, "/warnings/0/rule", "'info-required'" },
    { "an error that is a hint",
      "{'spec':'openapi: 3.0.4','severity':{'info-required':'warning','paths-required':'info'}}",
      NULL, "/error_count", "0" },
    { "a document without errors by severity is not valid",
      "{'spec':'openapi: 3.0.4','severity':{'info-required':'warning','paths-required':'info'}}",
      NULL, "/valid", "false" },
    { "a valid document with errors by severity is valid",
      "{'spec':'{openapi: 3.0.4, info: {title: a, version: b}, paths: {}}',"
      "'severity':{'no-servers':'error'}}",
      NULL, "/valid", "true" },
    { "its errors count",
      "{'spec':'{openapi: 3.0.4, info: {title: a, version: b}, paths: {}}',"
      "'severity':{'no-servers':'error'}}",
      NULL, "/errors/0/rule", "'no-servers'" },
    { "a change that does not break by severity",
      "{'spec':'openapi: 3.0.4','previous':'{openapi: 3.0.4, paths: {/a: {get:"
      " {}}}}','severity':{'api-path-removed-without-deprecation':'info'}}",
      NULL, "/diff_summary/breaking", "false" },
    { "a change that breaks by severity",
      "{'spec':'{openapi: 3.0.4, paths: {/a: {get: {}}}}','previous':'openapi: 3.0.4',"
      "'severity':{'endpoint-added':'error'}}",
      NULL, "/breaking_changes/0/id", "'endpoint-added'" },
    { "no ruleset", "{'spec':'openapi: 3.0.4'}", NULL, "/ignored", NULL },
    { "an ignored change",
      "{'spec':'openapi: 3.0.4','previous':'{openapi: 3.0.4, paths: {/a: {get:"
      " {}}}}','ignore':[{'rule':'api-path-removed-without-deprecation'}]}",
      NULL, "/diff_summary",
      "{'breaking':false,'errors':1,'warnings':0,'infos':0,'previous_version':'',"
      "'current_version':'','ignored':1,'truncated':false}" },
    { "a fingerprint",
      "{'spec':'openapi: 3.0.4','previous':'{openapi: 3.0.4, paths: {/a: {get:"
      " {}}}}','accepted':[]}",
      NULL, "/breaking_changes/0/fingerprint", "'f39f52cf0bbffe87'" },
    { "a fingerprint of a new parameter",
      "{'spec':'{openapi: 3.0.4, paths: {/a: {get: {parameters: [{name: b, in: query, required: "
      "true, schema: {}}]}}}}',"
      "'previous':'{openapi: 3.0.4, paths: {/a: {get: {}}}}','accepted':[]}",
      NULL, "/breaking_changes/0/fingerprint", "'d4756652da04fe2e'" },
    { "the same behind another parameter",
      "{'spec':'{openapi: 3.0.4, paths: {/a: {get: {parameters: [{name: c, in: query, schema: {}},"
      " {name: b, in: query, required: true, schema: {}}]}}}}',"
      "'previous':'{openapi: 3.0.4, paths: {/a: {get: {parameters: [{name: c, in: query, schema: "
      "{}}]}}}}','accepted':[]}",
      NULL, "/breaking_changes/0/fingerprint", "'d4756652da04fe2e'" },
    { "an accepted change",
      "{'spec':'openapi: 3.0.4','previous':'{openapi: 3.0.4, paths: {/a: {get:"
      " {}}}}','accepted':['f39f52cf0bbffe87']}",
      NULL, "/diff_summary",
      "{'breaking':false,'errors':1,'warnings':0,'infos':0,'previous_version':'',"
      "'current_version':'','accepted':1,'truncated':false}" },
    { "no fingerprint without accepted",
      "{'spec':'openapi: 3.0.4','previous':'{openapi: 3.0.4, "
      "paths: {/a: {get: {}}}}'}",
      NULL, "/breaking_changes/0/fingerprint", NULL },
    { "a changelog",
      "{'spec':'openapi: 3.0.4','previous':'{openapi: 3.0.4, paths: {/a: {get:"
      " {}}}}','changelog':true}",
      NULL, "/changelog",
      "'## Breaking\\n\\n- `get /a`: The path was removed. "
      "(`api-path-removed-without-deprecation`)\\n\\n'" },
    { "a changelog of a path with backticks",
      "{'spec':'openapi: 3.0.4','previous':'{openapi: 3.0.4, paths: {\\\"/a`<b>`\\\": {get:"
      " {}}}}','changelog':true}",
      NULL, "/changelog",
      "'## Breaking\\n\\n- `` get /a`<b>` ``: The path was removed. "
      "(`api-path-removed-without-deprecation`)\\n\\n'" },
    { "a changelog of a parameter with a link",
      "{'spec':'{openapi: 3.0.4, paths: {/a: {get: {parameters: [{name: "
      "\\\"[x](javascript:y)<b>\\\", in: query, required: false, schema: {type: "
      "integer}}]}}}}','previous':'{openapi: 3.0.4, paths: {/a: {get: {parameters: [{name: "
      "\\\"[x](javascript:y)<b>\\\", in: query, required: false, schema: {type: "
      "string}}]}}}}','changelog':true}",
      NULL, "/changelog",
      "'## Breaking\\n\\n- `get /a`: Request parameter \\\"\\\\[x\\\\](javascript:y)"
      "\\\\<b\\\\>\\\": the type or format changed. (`request-parameter-type-changed`)\\n\\n'" },

    /* stats */
    { "methods",
      "{'spec':'{openapi: 3.2.0, paths: {/a: {get: {}, query: {}, additionalOperations: {LOCK: "
      "{}}}, /b: {get: {deprecated: true}}, x-c: {get: {}}}}'}",
      NULL, "/stats",
      "{'paths':2,'operations':4,'schemas':0,'servers':0,'operations_by_method':{'get':2,'query':"
      "1},'has_security':false,'webhooks':0,'callbacks':0,'parameters':0,'responses':0,'tags':0,"
      "'security_schemes':0,'deprecated_operations':1,'refs':0,'external_refs':0}" },
    { "parts",
      "{'spec':'{openapi: 3.1.0, webhooks: {w: {}, x-w: {}}, servers: [{url: a}, {url: b}], tags: "
      "[{name: "
      "t}], components: {schemas: {S: {$ref: a.yaml}, T: {$ref: \\\"#/components/schemas/S\\\"}}, "
      "parameters: {p: {}}, responses: {r: {}}, callbacks: {c: {}}, securitySchemes: {s: {type: "
      "mutualTLS}}}}'}",
      NULL, "/stats",
      "{'paths':0,'operations':0,'schemas':2,'servers':2,'operations_by_method':{},'has_security':"
      "true,'webhooks':1,'callbacks':1,'parameters':1,'responses':1,'tags':1,'security_schemes':1,"
      "'deprecated_operations':0,'refs':2,'external_refs':1}" },
    { "servers of 2.0", "{'spec':'{swagger: \\\"2.0\\\", host: a, schemes: [http, https]}'}", NULL,
      "/stats/servers", "2" },
    { "a host is one", "{'spec':'{swagger: \\\"2.0\\\", host: a}'}", NULL, "/stats/servers", "1" },
    { "schemes without a host", "{'spec':'{swagger: \\\"2.0\\\", schemes: [http]}'}", NULL,
      "/stats/servers", "0" },
    { "an empty requirement", "{'spec':'{openapi: 3.0.4, security: [{}]}'}", NULL,
      "/stats/has_security", "false" },
};

static void check(void **state)
{
    const struct row *row = *state;
    scoped(json_free) cJSON *result = json_object();
    scoped(buf_free) struct buf want = BUF(1 << 16);
    scoped(buf_free) struct buf got = BUF(1 << 16);
    struct err err = { 0 };

    bool ok = run_tool(openapi_validate, "openapi-validate", row->body, result, NULL, &err);
    assert_string_equal(err_code(err.kind), row->code ? row->code : "");
    assert_int_equal(ok, row->code == NULL);
    if (!ok)
        return;
    const cJSON *node = json_at(result, row->pointer);
    if (node)
        json_print(node, &got);
    if (row->want)
        add_quoted(&want, row->want);
    assert_string_equal(buf_str(&got), buf_str(&want));
}

/* Lists are cut, counts are complete. */
static void lists_are_cut(void **state)
{
    (void)state;
    scoped(buf_free) struct buf body = BUF(1 << 20);
    scoped(json_free) cJSON *result = json_object();
    struct err err = { 0 };
    buf_add_str(&body, "{'spec':{'openapi':'3.0.4','info':{'title':'t','version':'1'},'paths':{}");
    for (int i = 0; i < 600; i++)
        buf_format(&body, ",'f%d':1", i);
    buf_add_str(&body, "}}");
    assert_true(run_tool(openapi_validate, "openapi-validate", buf_str(&body), result, NULL, &err));
    assert_int_equal(json_at(result, "/error_count")->valuedouble, 600);
    assert_int_equal(json_size(json_at(result, "/errors")), 500);
    assert_true(json_is(json_at(result, "/truncated"), cJSON_True));
}

/* An incomplete check says so, and reports no changes of parts that it did not read. */
static void giving_up_is_told(void **state)
{
    (void)state;
    scoped(buf_free) struct buf spec = BUF(1 << 16);
    scoped(buf_free) struct buf body = BUF(1 << 20);
    scoped(json_free) cJSON *result = json_object();
    struct err err = { 0 };
    buf_add_str(&spec, "{'openapi':'3.1.0','paths':{'/a':{'get':{}}},'components':{'schemas':{"
                       "'S60':{'type':'string'}");
    for (int i = 0; i < 60; i++)
        buf_format(&spec,
                   ",'S%d':{'anyOf':[{'$ref':'#/components/schemas/S%d'},{'$ref':"
                   "'#/components/schemas/S%d'}],'default':1}",
                   i, i + 1, i + 1);
    buf_add_str(&spec, "}}}");
    buf_format(&body, "{'spec':%s,'previous':%s}", buf_str(&spec), buf_str(&spec));
    assert_true(run_tool(openapi_validate, "openapi-validate", buf_str(&body), result, NULL, &err));
    assert_true(json_is(json_at(result, "/truncated"), cJSON_True));
    assert_int_equal(json_size(json_at(result, "/breaking_changes")), 0);
    assert_true(json_is(json_at(result, "/diff_summary/truncated"), cJSON_False));
}

static void a_cut_changelog_ends_with_a_note(void **state)
{
    (void)state;
    scoped(buf_free) struct buf body = BUF(1 << 20);
    scoped(json_free) cJSON *result = json_object();
    struct err err = { 0 };
    buf_add_str(&body, "{'changelog':true,'spec':{'openapi':'3.0.4','paths':{}},"
                       "'previous':{'openapi':'3.0.4','paths':{'/a':{'get':{}}");
    for (int i = 0; i < 4000; i++)
        buf_format(&body, ",'/a-path-of-some-length-Ã¤-%d':{'get':{}}", i);
    buf_add_str(&body, "}}}");
    assert_true(run_tool(openapi_validate, "openapi-validate", buf_str(&body), result, NULL, &err));
    const char *changelog = json_text(result, "/changelog");
    const char *end =
        strstr(changelog, "\n\n*There are more changes, but the limit is 256 KiB.*\n");
    assert_in_range(strlen(changelog), 255 << 10, 256 << 10);
    assert_non_null(end);
    assert_int_equal(end[-1], ')');
    assert_string_equal(strchr(end, '*'), "*There are more changes, but the limit is 256 KiB.*\n");
}

int main(void)
{
    const struct CMUnitTest singles[] = { cmocka_unit_test(lists_are_cut),
                                          cmocka_unit_test(giving_up_is_told),
                                          cmocka_unit_test(a_cut_changelog_ends_with_a_note) };
    return RUN_ROWS(rows, check) + cmocka_run_group_tests(singles, NULL, NULL);
}
