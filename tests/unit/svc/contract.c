/* tests/unit/svc/contract.c - contracts: loaded from files, requests and queries checked. */
#include "svc/contract.h"

#include <ctype.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "svc/schema.h"
#include "tool.h"

/* ---- files in a scratch directory ---- */

static char scratch[] = "/tmp/contract-XXXXXX";

static int remove_entry(const char *path, const struct stat *entry, int type, struct FTW *walk)
{
    (void)entry;
    (void)type;
    (void)walk;
    return remove(path);
}

/* The path of a file in the scratch directory; the caller frees it. */
static char *path_of(const char *folder, const char *name)
{
    return str_format("%s/%s/%s", scratch, folder, name);
}

static void write_file(const char *folder, const char *name, const char *content)
{
    scoped(mem_free) char *directory = path_of(folder, "");
    scoped(mem_free) char *path = path_of(folder, name);
    scoped(mem_free) char *group =
        str_format("%s/%.*s", scratch, (int)strcspn(folder, "/"), folder);
    mkdir(group, 0700);
    mkdir(directory, 0700);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(content, file);
    fclose(file);
}

static const char good[] = "tool: sample\n"
                           "title: A sample\n"
                           "summary: It samples.\n"
                           "credits: 3\n"
                           "rate_class: utility\n"
                           "budget_ms: 2000\n"
                           "request:\n"
                           "  required: [input]\n"
                           "  properties:\n"
                           "    input: { type: string, maxLength: 5, aliases: [text] }\n"
                           "    count: { type: integer, minimum: 1, maximum: 9, default: 2 }\n"
                           "result:\n"
                           "  required: [ok]\n"
                           "  properties:\n"
                           "    ok: { type: boolean }\n"
                           "errors: [invalid_color]\n"
                           "examples:\n"
                           "  - request: { text: abc }\n"
                           "    result: { ok: true }\n";

/* The good contract with one part replaced. */
static char *edited(const char *from, const char *to)
{
    const char *at = strstr(good, from);
    assert_non_null(at);
    return str_format("%.*s%s%s", (int)(at - good), good, to, at + strlen(from));
}

static struct contract *load_good(const char *from, const char *to)
{
    scoped(mem_free) char *content = edited(from, to);
    scoped(mem_free) char *path = path_of("svc-x/sample", "sample.yaml");
    struct contract *contract = NULL;
    struct err err = { 0 };

    write_file("svc-x/sample", "sample.yaml", content);
    bool ok = contract_load(path, &contract, &err);
    assert_string_equal(err.message, "");
    assert_true(ok);
    return contract;
}

static void loads_what_it_says(void **state)
{
    (void)state;
    scoped(contract_free) struct contract *contract =
        load_good("budget_ms: 2000", "budget_ms: 2000\nretryable: true\nsecret_input: true\n"
                                     "max_reply_bytes: 77\nmethod: POST\ncalls: [dns-lookup]");
    assert_string_equal(contract->tool, "sample");
    assert_string_equal(contract->group, "x");
    assert_string_equal(contract->title, "A sample");
    assert_string_equal(contract->summary, "It samples.");
    assert_string_equal(contract->rate_class, "utility");
    assert_int_equal(contract->credits, 3);
    assert_int_equal(contract->budget_ms, 2000);
    assert_int_equal(contract->max_reply_bytes, 77);
    assert_true(contract->retryable && contract->secret_input && !contract->is_get);
    assert_string_equal(json_text(contract->document, "/errors/0"), "invalid_color");
}

static void rules_of_cuts_are_kept(void **state)
{
    (void)state;
    scoped(contract_free) struct contract *contract =
        load_good("credits", "cut: [{ at: ok }, { at: 'a[].*', argument: text }]\ncredits");
    assert_string_equal(json_text(contract->document, "/cut/0/at"), "ok");
    assert_string_equal(json_text(contract->document, "/cut/1/argument"), "text");
}

static void has_defaults(void **state)
{
    (void)state;
    scoped(contract_free) struct contract *contract = load_good("", "");
    assert_int_equal(contract->max_reply_bytes, CONTRACT_REPLY_BYTES);
    assert_false(contract->retryable || contract->secret_input || contract->is_get);
}

static void raw_alone_needs_no_result(void **state)
{
    (void)state;
    scoped(contract_free) struct contract *contract =
        load_good("result:\n  required: [ok]\n  properties:\n    ok: { type: boolean }\n"
                  "errors: [invalid_color]\nexamples:\n  - request: { text: abc }\n"
                  "    result: { ok: true }\n",
                  "raw: [image/png]\nexamples: [{ request: { input: a } }]\n");
    assert_null(contract->result);
}

static void lists_are_compiled(void **state)
{
    (void)state;
    scoped(contract_free) struct contract *contract =
        load_good("credits", "raw: [image/png, text/plain]\nraw_headers: [ETag]\ncredits");
    assert_int_equal(contract->raw.count, 2);
    assert_true(contract_list_has(&contract->raw, "text/plain"));
    assert_false(contract_list_has(&contract->raw, "text/html"));
    assert_true(contract_list_has(&contract->raw_headers, "ETag"));
    assert_false(contract_list_has(&contract->raw_headers, "etag"));
}

static void digest_is_of_the_content(void **state)
{
    (void)state;
    scoped(contract_free) struct contract *one = load_good("", "");
    scoped(contract_free) struct contract *comment = load_good("credits", "# a comment\ncredits");
    scoped(contract_free) struct contract *price = load_good("credits: 3", "credits: 4");
    assert_memory_equal(one->digest, comment->digest, CONTRACT_DIGEST_BYTES);
    assert_memory_not_equal(one->digest, price->digest, CONTRACT_DIGEST_BYTES);
}

static const struct refused {
    const char *name;
    const char *from;
    const char *to;
    const char *message; /* after the path */
} refused[] = {
    { "an unknown key", "credits", "price: 1\ncredits", "price is not a key that a contract has" },
    { "a missing key", "title: A sample\n", "", "title is missing" },
    { "no result and not raw",
      "result:\n  required: [ok]\n  properties:\n    ok: { type: boolean }\n", "",
      "result is missing" },
    { "no example", "examples:\n  - request: { text: abc }\n    result: { ok: true }\n",
      "examples: []\n", "examples must be a list of request and result" },
    { "a price out of range", "credits: 3", "credits: 1001",
      "credits must be a whole number from 0 to 1000" },
    { "a price as text", "credits: 3", "credits: '3'",
      "credits must be a whole number from 0 to 1000" },
    { "a budget out of range", "budget_ms: 2000", "budget_ms: 99",
      "budget_ms must be a whole number from 100 to 300000" },
    { "a method", "credits", "method: PUT\ncredits", "method must be GET or POST" },
    { "a flag", "credits", "retryable: yes please\ncredits", "retryable must be true or false" },
    { "a reply size", "credits", "max_reply_bytes: 25165825\ncredits",
      "max_reply_bytes must be a whole number from 1 to 25165824" },
    { "no rules of cuts", "credits", "cut: []\ncredits", "cut must be 1 to 16 of at and argument" },
    { "rules of cuts as a text", "credits", "cut: ok\ncredits",
      "cut must be 1 to 16 of at and argument" },
    { "a cut without its place", "credits", "cut: [{ argument: text }]\ncredits",
      "cut must be 1 to 16 of at and argument" },
    { "a cut with another key", "credits", "cut: [{ at: ok, keep: 3 }]\ncredits",
      "cut must be 1 to 16 of at and argument" },
    { "a cut's argument that is no text", "credits", "cut: [{ at: ok, argument: 1 }]\ncredits",
      "cut must be 1 to 16 of at and argument" },
    { "17 cuts", "credits",
      "cut: [{ at: a }, { at: b }, { at: c }, { at: d }, { at: e }, { at: f }, { at: g }, "
      "{ at: h }, { at: i }, { at: j }, { at: k }, { at: l }, { at: m }, { at: n }, { at: o }, "
      "{ at: p }, { at: q }]\ncredits",
      "cut must be 1 to 16 of at and argument" },
    { "an unknown error", "[invalid_color]", "[invalid_colour]",
      "errors must be a list of codes of base/err.def" },
    { "a content type", "credits", "raw: [png]\ncredits", "raw must be a list of content types" },
    { "a header of the gateway", "credits", "raw_headers: [ETag, x-credits-charged]\ncredits",
      "raw_headers must be at most 8 names of headers that are not the gateway's" },
    { "a header that frames", "credits", "raw_headers: [Transfer-encoding]\ncredits",
      "raw_headers must be at most 8 names of headers that are not the gateway's" },
    { "a header with a blank", "credits", "raw_headers: ['E Tag']\ncredits",
      "raw_headers must be at most 8 names of headers that are not the gateway's" },
    { "a header with a line end", "credits", "raw_headers: [\"ETag\\r\\nX\"]\ncredits",
      "raw_headers must be at most 8 names of headers that are not the gateway's" },
    { "a header without a name", "credits", "raw_headers: ['']\ncredits",
      "raw_headers must be at most 8 names of headers that are not the gateway's" },
    { "nine headers", "credits", "raw_headers: [a, b, c, d, e, f, g, h, i]\ncredits",
      "raw_headers must be at most 8 names of headers that are not the gateway's" },
    { "a schema", "maxLength: 5", "maxLength: five",
      "request.properties.input.maxLength must be a whole number" },
    { "a request that is not an object", "request:\n", "request:\n  type: [string]\n",
      "request.required does not apply to a value of this type" },
    { "another name than the file's", "tool: sample", "tool: samples",
      "tool must be the name of the file and its folder" },
    { "a name with a slash", "tool: sample", "tool: ../sample",
      "tool must be 1 to 32 lower-case letters, digits and dashes, a letter first" },
    { "a name that begins with a digit", "tool: sample", "tool: 7sample",
      "tool must be 1 to 32 lower-case letters, digits and dashes, a letter first" },
    { "a name of 33 letters", "tool: sample", "tool: sampleabcdefghijklmnopqrstuvwxyza",
      "tool must be 1 to 32 lower-case letters, digits and dashes, a letter first" },
    { "a property that takes anything, without a hint",
      "{ type: integer, minimum: 1, maximum: 9, default: 2 }", "{ default: 2 }",
      "request: count needs a type or a hint_type" },
    { "a hint next to a type", "{ type: integer, minimum: 1, maximum: 9, default: 2 }",
      "{ type: integer, hint_type: integer }",
      "request.properties.count has both a hint_type and a type" },
    { "an invalid hint", "{ type: integer, minimum: 1, maximum: 9, default: 2 }",
      "{ hint_type: text }",
      "request.properties.count.hint_type must be a type's name or a list of them" },
    { "a list without items", "{ type: integer, minimum: 1, maximum: 9, default: 2 }",
      "{ type: array }", "request: count is a list and must have items" },
    { "a list of anything", "{ type: integer, minimum: 1, maximum: 9, default: 2 }",
      "{ type: array, items: {} }", "request: count needs a type or a hint_type" },
    { "a property with a blank",
      "count:", "'co unt':", "request: co unt is not a valid property name" },
    { "a request's property for agents", "{ type: integer, minimum: 1, maximum: 9, default: 2 }",
      "{ type: integer, agent: omit }", "agent is for properties of the result" },
    { "an invalid word for agents", "ok: { type: boolean }", "ok: { type: boolean, agent: hide }",
      "result.properties.ok.agent must be omit or image" },
    { "an inner property for agents", "ok: { type: boolean }",
      "ok: { type: boolean }\n    in: { properties: { a: { agent: omit } } }",
      "agent is for the result's own properties" },
    { "an example's request", "text: abc", "text: abcdef",
      "examples[0]: request.input must have at most 5 characters; it has 6" },
    { "an example's result", "result: { ok: true }", "result: { ok: 1 }",
      "examples[0]: result.ok must be a boolean, not a number" },
    { "an example's key", "result: { ok: true }", "reslut: { ok: true }",
      "examples[0]: reslut is not a key that an example has" },
    { "an invalid example", "- request: { text: abc }\n    result: { ok: true }", "- abc",
      "examples[0]: request is missing" },
    { "a number in a query", "{ type: integer, minimum: 1, maximum: 9, default: 2 }",
      "{ type: number }\nmethod: GET",
      "request.properties.count.type must be integer or string in a query" },
};

static void check_refused(void **state)
{
    const struct refused *row = *state;
    scoped(mem_free) char *content = edited(row->from, row->to);
    scoped(mem_free) char *path = path_of("svc-x/sample", "sample.yaml");
    scoped(mem_free) char *message = str_format("%s: %s", path, row->message);
    scoped(contract_free) struct contract *contract = NULL;
    struct err err = { 0 };

    write_file("svc-x/sample", "sample.yaml", content);
    assert_false(contract_load(path, &contract, &err));
    assert_string_equal(err.message, message);
}

static void refuses_a_list(void **state)
{
    (void)state;
    scoped(mem_free) char *path = path_of("svc-x/sample", "sample.yaml");
    scoped(contract_free) struct contract *contract = NULL;
    struct err err = { 0 };

    write_file("svc-x/sample", "sample.yaml", "- tool\n- title\n");
    assert_false(contract_load(path, &contract, &err));
    assert_non_null(strstr(err.message, "sample.yaml: a contract must be"));
}

static void refuses_another_folder(void **state)
{
    (void)state;
    scoped(mem_free) char *path = path_of("x/sample", "sample.yaml");
    scoped(contract_free) struct contract *contract = NULL;
    struct err err = { 0 };

    write_file("x/sample", "sample.yaml", good);
    assert_false(contract_load(path, &contract, &err));
    assert_non_null(strstr(err.message, "a contract must be in a folder svc-<group>"));
}

static void loads_all_sorted(void **state)
{
    (void)state;
    scoped(mem_free) char *other = edited("tool: sample", "tool: able");
    struct contract **contracts = NULL;
    size_t count = 0;
    struct err err = { 0 };

    write_file("svc-x/sample", "sample.yaml", good);
    write_file("svc-y/able", "able.yaml", other);
    write_file("svc-x/sample", "data.yaml", "rows: [1, 2]\n");
    assert_true(contract_load_all(scratch, NULL, &contracts, &count, &err));
    assert_int_equal(count, 2);
    assert_string_equal(contracts[0]->tool, "able");
    assert_string_equal(contracts[0]->group, "y");
    assert_string_equal(contracts[1]->tool, "sample");
    while (count > 0)
        contract_free(&contracts[--count]);
    mem_free(&contracts);

    assert_true(contract_load_all(scratch, "x", &contracts, &count, &err));
    assert_int_equal(count, 1);
    assert_string_equal(contracts[0]->tool, "sample");
    contract_free(&contracts[0]);
    mem_free(&contracts);
}

static void two_for_one_tool(void **state)
{
    (void)state;
    scoped(mem_free) char *second = path_of("svc-z/sample", "sample.yaml");
    struct contract **contracts = NULL;
    size_t count = 0;
    struct err err = { 0 };

    write_file("svc-x/sample", "sample.yaml", good);
    write_file("svc-z/sample", "sample.yaml", good);
    assert_false(contract_load_all(scratch, NULL, &contracts, &count, &err));
    assert_string_equal(err.message, "tool sample has two contracts, svc-x and svc-z");
    unlink(second);
    assert_false(contract_load_all(scratch, "none", &contracts, &count, &err));
    assert_null(contracts);
}

/* ---- requests ---- */

static const struct request {
    const char *name;
    const char *body;
    const char *code; /* NULL: accepted */
    const char *want; /* the arguments, or the first message ("": not checked) */
} requests[] = {
    { "as it is", "{'input':'abc','count':3}", NULL, "{'input':'abc','count':3}" },
    { "with a default", "{'input':'abc'}", NULL, "{'input':'abc','count':2}" },
    { "by alias", "{'text':'abc'}", NULL, "{'input':'abc','count':2}" },
    { "empty", "", "body_required", "" },
    { "not JSON", "{'input':}", "invalid_json", "" },
    { "twice", "{'input':'a','input':'b'}", "invalid_json", "" },
    { "a list", "[]", "body_not_object", "the body must be a JSON object" },
    { "required", "{'count':1}", "missing_field", "input is required" },
    { "null is absent", "{'input':null}", "missing_field", "input is required" },
    { "type", "{'input':5}", "invalid_type", "input must be a string, not a number" },
    { "length", "{'text':'abcdef'}", "too_long", "input must have at most 5 characters; it has 6" },
    { "range", "{'input':'a','count':10}", "invalid_value", "count must be from 1 to 9" },
    { "U+0000", "{'input':'a\\u0000'}", "invalid_value", "input must not contain U+0000" },
};

static void check_request(void **state)
{
    const struct request *row = *state;
    scoped(contract_free) struct contract *contract = load_good("", "");
    scoped(buf_free) struct buf body = BUF(4096);
    scoped(buf_free) struct buf want = BUF(4096);
    scoped(json_free) cJSON *args = NULL;
    scoped(json_free) cJSON *wanted = NULL;
    struct errs errs = { 0 };
    struct errs again = { 0 };

    add_quoted(&body, row->body);
    bool ok = contract_check(contract, buf_text(&body), &args, NULL, &errs);
    assert_int_equal(ok, contract_check(contract, buf_text(&body), NULL, NULL, &again));
    assert_string_equal(err_code(errs.item[0].kind), row->code ? row->code : "");
    if (row->code && *row->want)
        assert_string_equal(errs.item[0].message, row->want);
    if (row->code)
        return;
    add_quoted(&want, row->want);
    assert_true(json_parse(buf_text(&want), JSON_DEPTH, &wanted, NULL));
    assert_true(json_equal(args, wanted));
}

static void one_error_a_field_in_order(void **state)
{
    (void)state;
    scoped(contract_free) struct contract *contract = load_good("", "");
    struct errs errs = { 0 };
    assert_false(contract_check(contract, TEXT("{\"count\":0}"), NULL, NULL, &errs));
    assert_int_equal(errs.count, 2);
    assert_string_equal(errs.item[0].message, "input is required");
    assert_string_equal(errs.item[1].message, "count must be from 1 to 9");
}

static void too_deep(void **state)
{
    (void)state;
    scoped(contract_free) struct contract *contract = load_good("", "");
    scoped(buf_free) struct buf body = BUF(4096);
    struct errs errs = { 0 };
    buf_add_str(&body, "{\"x\":");
    for (int i = 0; i < JSON_DEPTH; i++)
        buf_add_byte(&body, '[');
    assert_false(contract_check(contract, buf_text(&body), NULL, NULL, &errs));
    assert_int_equal(errs.item[0].kind, ERR_TOO_DEEP);
}

static void one_of_at_the_top(void **state)
{
    (void)state;
    scoped(contract_free) struct contract *contract =
        load_good("required: [input]", "one_of_required: [input]");
    struct errs errs = { 0 };
    assert_false(contract_check(contract, TEXT("{}"), NULL, NULL, &errs));
    assert_string_equal(errs.item[0].message, "one of input is required");
}

/* ---- queries ---- */

static const struct query {
    const char *name;
    const char *query;
    const char *code; /* NULL: accepted */
    const char *body;
} queries[] = {
    { "nothing", "", NULL, "{}" },
    { "text and number", "input=abc&count=3", NULL, "{'input':'abc','count':3}" },
    { "the contract's order", "count=3&input=abc", NULL, "{'input':'abc','count':3}" },
    { "unknown names go", "a=b&input=c&=d&&e", NULL, "{'input':'c'}" },
    { "plus is a blank", "input=a+b%2Bc", NULL, "{'input':'a b+c'}" },
    { "percent", "input=%C3%a9%22%0A", NULL, "{'input':'\u00e9\\'\\n'}" },
    { "names are decoded too", "%69nput=a", NULL, "{'input':'a'}" },
    { "the first occurrence wins", "input=a&input=b", NULL, "{'input':'a'}" },
    { "the canonical name wins", "text=a&input=b", NULL, "{'input':'b'}" },
    { "an alias", "text=a&text=b", NULL, "{'input':'a'}" },
    { "empty value", "input=", NULL, "{'input':''}" },
    { "no equals sign", "input", NULL, "{'input':''}" },
    { "equals signs in a value", "input=a=b=", NULL, "{'input':'a=b='}" },
    { "an integer is not text", "count=007", NULL, "{'count':7}" },
    { "digits stay text where text is", "input=12", NULL, "{'input':'12'}" },
    { "one hex digit", "input=%4", "invalid_query", NULL },
    { "a wrong first hex digit", "input=%z1", "invalid_query", NULL },
    { "no hex digits", "input=%zz", "invalid_query", NULL },
    { "a bare percent at the end", "input=%", "invalid_query", NULL },
    { "bad percent in an unknown name", "%=1", "invalid_query", NULL },
    { "not UTF-8", "input=%ff", "invalid_query", NULL },
    { "not UTF-8 in an unknown value", "x=%C0%80", "invalid_query", NULL },
    { "a surrogate", "input=%ED%A0%80", "invalid_query", NULL },
    { "U+0000", "input=%00", "invalid_query", NULL },
    { "a sign", "count=%2B3", "invalid_value", NULL },
    { "a fraction", "count=3.0", "invalid_value", NULL },
    { "no digit", "count=", "invalid_value", NULL },
    { "a blank", "count=+3", "invalid_value", NULL },
    { "too many digits", "count=99999999999999999999", "invalid_value", NULL },
};

static void check_query(void **state)
{
    const struct query *row = *state;
    scoped(contract_free) struct contract *contract = load_good("credits", "method: GET\ncredits");
    scoped(buf_free) struct buf body = BUF(4096);
    scoped(buf_free) struct buf want = BUF(4096);
    struct err err = { 0 };

    bool ok = contract_query(contract, text_of(row->query), &body, NULL, &err);
    assert_string_equal(err_code(err.kind), row->code ? row->code : "");
    assert_int_equal(ok, row->code == NULL);
    if (!ok)
        return;
    add_quoted(&want, row->body);
    assert_string_equal(buf_str(&body), buf_str(&want));
}

static void unknown_names_of_a_query(void **state)
{
    (void)state;
    scoped(contract_free) struct contract *contract = load_good("credits", "method: GET\ncredits");
    scoped(buf_free) struct buf body = BUF(4096);
    struct unknown_fields unknown = { 0 };
    struct err err = { 0 };
    assert_true(contract_query(contract, TEXT("conut=3&input=a&%63olour=&text=b&&"), &body,
                               &unknown, &err));
    assert_int_equal(unknown.count, 2);
    assert_string_equal(unknown.item[0].path, "conut");
    assert_string_equal(unknown.item[0].did_you_mean, "count");
    assert_string_equal(unknown.item[1].path, "colour");
    assert_null(unknown.item[1].did_you_mean);
}

static void unknown_fields_of_an_invalid_request(void **state)
{
    (void)state;
    scoped(contract_free) struct contract *contract = load_good("", "");
    struct unknown_fields unknown = { 0 };
    struct errs errs = { 0 };
    assert_false(contract_check(contract, TEXT("{\"inputt\":\"a\"}"), NULL, &unknown, &errs));
    assert_int_equal(errs.item[0].kind, ERR_MISSING_FIELD);
    assert_int_equal(unknown.count, 1);
    assert_string_equal(unknown.item[0].did_you_mean, "input");
}

/* ---- suggestions for the fields of all tools ---- */

struct score {
    size_t tried;
    size_t right;
};

static void try_name(const struct contract *contract, const char *name, const char *want,
                     struct score *score)
{
    scoped(json_free) cJSON *request = json_object();
    struct unknown_fields unknown = { 0 };
    json_bool(request, name, true);
    schema_settle(contract->request, request, false, &unknown);
    if (unknown.total == 0)
        return; /* another property, or an alias */
    const char *meant = unknown.item[0].did_you_mean;
    score->tried++;
    if (meant && strcmp(meant, want) == 0)
        score->right++;
    else
        print_message("%s: %s for %s\n", contract->tool, meant ? meant : "nothing", name);
}

/* In capitals, with another letter in each place, and with - for _. */
static void try_variants(const struct contract *contract, const char *name, struct score *score)
{
    scoped(mem_free) char *variant = str_dup(name);
    for (size_t i = 0; variant[i]; i++)
        variant[i] = (char)toupper((unsigned char)variant[i]);
    try_name(contract, variant, name, score);
    for (size_t i = 0; name[i]; i++) {
        memcpy(variant, name, strlen(name));
        variant[i] = name[i] == '_' ? '-' : 'q';
        try_name(contract, variant, name, score);
    }
}

static void suggestions_are_right(void **state)
{
    (void)state;
    struct contract **contracts = NULL;
    size_t count = 0;
    struct score score = { 0 };
    struct err err = { 0 };
    assert_true(contract_load_all(SOURCE_ROOT, NULL, &contracts, &count, &err));
    assert_int_equal(contracts_longest_ms(contracts, count), 155000); /* ai-image-generate */
    assert_int_equal(contracts_longest_ms(contracts, 0), 0);
    for (size_t i = 0; i < count; i++) {
        const struct schema *request = contracts[i]->request;
        for (size_t at = 0; at < request->property_count; at++)
            try_variants(contracts[i], request->properties[at].name, &score);
        contract_free(&contracts[i]);
    }
    mem_free(&contracts);
    print_message("%zu of %zu suggestions are right\n", score.right, score.tried);
    assert_true(score.tried > 1000 && score.right * 100 >= score.tried * 95);
}

static void query_that_does_not_fit(void **state)
{
    (void)state;
    scoped(contract_free) struct contract *contract = load_good("credits", "method: GET\ncredits");
    scoped(buf_free) struct buf body = BUF(8);
    struct err err = { 0 };
    assert_false(contract_query(contract, TEXT("input=abc"), &body, NULL, &err));
    assert_int_equal(err.kind, ERR_INVALID_QUERY);
}

int main(void)
{
    const struct CMUnitTest singles[] = {
        cmocka_unit_test(loads_what_it_says),
        cmocka_unit_test(rules_of_cuts_are_kept),
        cmocka_unit_test(has_defaults),
        cmocka_unit_test(raw_alone_needs_no_result),
        cmocka_unit_test(lists_are_compiled),
        cmocka_unit_test(digest_is_of_the_content),
        cmocka_unit_test(refuses_a_list),
        cmocka_unit_test(loads_all_sorted),
        cmocka_unit_test(two_for_one_tool),
        cmocka_unit_test(refuses_another_folder),
        cmocka_unit_test(one_error_a_field_in_order),
        cmocka_unit_test(too_deep),
        cmocka_unit_test(one_of_at_the_top),
        cmocka_unit_test(query_that_does_not_fit),
        cmocka_unit_test(unknown_names_of_a_query),
        cmocka_unit_test(suggestions_are_right),
        cmocka_unit_test(unknown_fields_of_an_invalid_request),
    };
    if (!mkdtemp(scratch))
        return 1;
    int failed = RUN_ROWS(refused, check_refused) + RUN_ROWS(requests, check_request) +
                 RUN_ROWS(queries, check_query) + cmocka_run_group_tests(singles, NULL, NULL);
    nftw(scratch, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
    return failed;
}
