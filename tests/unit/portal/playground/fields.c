/* tests/unit/portal/playground/fields.c - a form of a contract, and the request of a form. */
#include "portal/playground/fields.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/mem.h"
#include "rows.h"
#include "text/json.h"

/* ---- a form that was filled in ---- */

struct typed {
    const char *field;
    const char *value;
};

static const char *value_in(const void *form, const char *field)
{
    for (const struct typed *typed = form; typed->field; typed++)
        if (strcmp(typed->field, field) == 0)
            return typed->value;
    return NULL;
}

/* A form as the page shows it: a list of field models. */
static const char *value_shown(const void *form, const char *field)
{
    const cJSON *item;
    cJSON_ArrayForEach(item, (const cJSON *)form) {
        const cJSON *option;
        if (strcmp(json_text(item, "/name"), field) != 0)
            continue;
        cJSON_ArrayForEach(option, json_get(item, "options"))
            if (json_is(json_get(option, "is_chosen"), cJSON_True))
                return json_text(option, "/value");
        return json_text(item, "/value");
    }
    return NULL;
}

/* ---- every contract: its first example, as a form, is its first example again ---- */

/* Browsers remove line feeds from an input of one line. */
static void assert_no_line_is_lost(const struct contract *contract, const cJSON *fields)
{
    const cJSON *field;
    cJSON_ArrayForEach(field, fields)
        if (json_get(field, "type") && strchr(json_text(field, "/value"), '\n'))
            fail_msg("%s: %s is not multiline", contract->tool, json_text(field, "/label"));
}

static void every_example_comes_back(void **state)
{
    (void)state;
    struct contract **contracts = NULL;
    size_t count = 0;
    assert_true(contract_load_all(SOURCE_ROOT, NULL, &contracts, &count, NULL));
    for (size_t i = 0; i < count; i++) {
        scoped(json_free) cJSON *fields = json_array();
        scoped(json_free) cJSON *request = NULL;
        const char *wrong = NULL;
        playground_fields(contracts[i], NULL, NULL, fields);
        assert_int_equal(json_size(fields),
                         json_size(json_at(contracts[i]->document, "/request/properties")));
        assert_no_line_is_lost(contracts[i], fields);
        assert_true(playground_request(contracts[i], value_shown, fields, &request, &wrong, NULL));
        scoped(buf_free) struct buf body = BUF(REQUEST_MAX_BYTES);
        json_print(request, &body);
        if (!json_equal(request, json_at(contracts[i]->document, "/examples/0/request")))
            fail_msg("%s: %s", contracts[i]->tool, buf_str(&body));
        contract_free(&contracts[i]);
    }
    mem_free(&contracts);
}

/* ---- kinds, by a contract that has them all ---- */

static const char contract_text[] =
    "tool: probe\ntitle: Probe\nsummary: All kinds of fields.\ncredits: 1\nrate_class: utility\n"
    "budget_ms: 1000\nretryable: true\nrequest:\n  required: [must]\n  properties:\n"
    "    must: { type: string, maxLength: 200, description: What must be there }\n"
    "    long: { type: string, maxLength: 5000, multiline: true, description: A long text }\n"
    "    pick: { type: string, enum: [a, b], default: a, description: One of two }\n"
    "    flag: { type: boolean, default: true, description: Yes or no }\n"
    "    count: { type: integer, minimum: 1, description: How many }\n"
    "    part: { type: number, description: How much }\n"
    "    lines: { type: array, items: { type: string }, description: Some texts }\n"
    "    names: { type: [string, array], items: { type: string }, description: One or some }\n"
    "    tree: { type: object, description: Anything inside }\n"
    "    either: { type: [string, object], description: A text or an object }\n"
    "    id: { type: [string, integer], description: An id }\n"
    "    any: { hint_type: string, description: Whatever }\n"
    "    url: { type: string, maxLength: 2048, description: An address }\n"
    "    note: { type: string, maxLength: 500, multiline: true, description: A short text }\n"
    "    usual: { type: string, choices: [SHA-1, SHA-2], description: A name in any case }\n"
    "result: { properties: { ok: { type: boolean, description: Fine } } }\n"
    "errors: []\nexamples:\n  - request: { must: x }\n";

static struct contract *probe;

static int load_probe(void **state)
{
    (void)state;
    char folder[] = "/tmp/fields-XXXXXX";
    if (!mkdtemp(folder))
        return -1;
    scoped(mem_free) char *group = str_format("%s/svc-utils", folder);
    scoped(mem_free) char *tool = str_format("%s/probe", group);
    scoped(mem_free) char *path = str_format("%s/probe.yaml", tool);
    mkdir(group, 0700);
    mkdir(tool, 0700);
    FILE *file = fopen(path, "w");
    fputs(contract_text, file);
    fclose(file);
    struct err err = { 0 };
    if (!contract_load(path, &probe, &err))
        print_error("%s\n", err.message);
    remove(path);
    remove(tool);
    remove(group);
    remove(folder);
    return probe ? 0 : -1;
}

static int free_probe(void **state)
{
    (void)state;
    contract_free(&probe);
    return 0;
}

static const struct request_row {
    const char *name;
    struct typed typed[4];
    const char *want;  /* the request; NULL: rejected */
    const char *wrong; /* the property */
} requests[] = {
    { "a text", { { "v-must", "a b" } }, "{\"must\":\"a b\"}" },
    { "an empty text that must be there", { { "v-must", "" } }, "{\"must\":\"\"}" },
    { "an empty optional text is left out",
      { { "v-must", "x" }, { "v-long", "" } },
      "{\"must\":\"x\"}" },
    { "nothing at all", { { NULL } }, "{}" },
    { "line ends become line feeds", { { "v-long", "a\r\nb\rc" } }, "{\"long\":\"a\\nb\\rc\"}" },
    { "a text of digits stays a text", { { "v-must", "123" } }, "{\"must\":\"123\"}" },
    { "a choice", { { "v-pick", "b" } }, "{\"pick\":\"b\"}" },
    { "a choice left to the tool", { { "v-pick", "" } }, "{}" },
    { "an unknown choice is passed on", { { "v-pick", "c" } }, "{\"pick\":\"c\"}" },
    { "a usual value", { { "v-usual", "SHA-2" } }, "{\"usual\":\"SHA-2\"}" },
    { "another spelling of it", { { "v-usual", "sha2" } }, "{\"usual\":\"sha2\"}" },
    { "yes", { { "v-flag", "yes" } }, "{\"flag\":true}" },
    { "no", { { "v-flag", "no" } }, "{\"flag\":false}" },
    { "an invalid flag is passed on as text", { { "v-flag", "on" } }, "{\"flag\":\"on\"}" },
    { "a number", { { "v-count", " 12 " } }, "{\"count\":12}" },
    { "a number keeps its digits", { { "v-part", "1.10" } }, "{\"part\":1.10}" },
    { "no number goes as text", { { "v-count", "many" } }, "{\"count\":\"many\"}" },
    { "lines", { { "v-lines", "a\r\n\r\nb\r\n" } }, "{\"lines\":[\"a\",\"b\"]}" },
    { "lines as JSON", { { "v-lines", "[\"a\\nb\"]" } }, "{\"lines\":[\"a\\nb\"]}" },
    { "lines as bad JSON", { { "v-lines", "[\"a" } }, NULL, "lines" },
    { "one name is a text", { { "v-names", "a" } }, "{\"names\":\"a\"}" },
    { "two are a list", { { "v-names", "a\nb" } }, "{\"names\":[\"a\",\"b\"]}" },
    { "an object", { { "v-tree", "{\"a\": 1.0}" } }, "{\"tree\":{\"a\":1.0}}" },
    { "no object", { { "v-tree", "a" } }, NULL, "tree" },
    { "a text where an object may be", { { "v-either", "# Title" } }, "{\"either\":\"# Title\"}" },
    { "an object where a text may be", { { "v-either", "{\"a\":1}" } }, "{\"either\":{\"a\":1}}" },
    { "half an object is not a text", { { "v-either", " {\"a\":" } }, NULL, "either" },
    { "a large id keeps its digits as a text",
      { { "v-id", "175928847299117063" } },
      "{\"id\":\"175928847299117063\"}" },
    { "anything: a number",
      { { "v-any", "12345678901234567890" } },
      "{\"any\":12345678901234567890}" },
    { "anything: a text", { { "v-any", "hello" } }, "{\"any\":\"hello\"}" },
    { "anything: a text in quotes", { { "v-any", "\"12\"" } }, "{\"any\":\"12\"}" },
    { "fields of no property are nobody's", { { "v-other", "x" }, { "csrf", "y" } }, "{}" },
};

static void check_request(void **state)
{
    const struct request_row *row = *state;
    scoped(json_free) cJSON *request = NULL;
    scoped(buf_free) struct buf body = BUF(REQUEST_MAX_BYTES);
    const char *wrong = NULL;
    struct err err = { 0 };
    bool ok = playground_request(probe, value_in, row->typed, &request, &wrong, &err);
    assert_int_equal(ok, row->want != NULL);
    if (!ok) {
        assert_string_equal(wrong, row->wrong);
        return;
    }
    json_print(request, &body);
    assert_string_equal(buf_str(&body), row->want);
}

/* ---- how a field is shown ---- */

static const struct shown_row {
    const char *name; /* of the property */
    const char *pointer;
    const char *want; /* JSON */
} shown[] = {
    { "must", "/type", "\"text\"" },
    { "must", "/value", "\"x\"" },
    { "must", "/is_required", "true" },
    { "must", "/is_first", "true" },
    { "long", "/is_area", "true" },
    { "long", "/rows", "8" },
    { "long", "/is_first", "false" },
    { "pick", "/is_select", "true" },
    { "pick", "/options/0/label", "\"default: a\"" },
    { "pick", "/options/2/value", "\"b\"" },
    { "flag", "/options/0/label", "\"default: yes\"" },
    { "flag", "/options/1/value", "\"yes\"" },
    { "count", "/type", "\"number\"" },
    { "count", "/step", "null" },
    { "part", "/step", "\"any\"" },
    { "lines", "/hint", "\"Some texts. One per line\"" },
    { "tree", "/hint", "\"Anything inside. JSON\"" },
    { "either", "/hint", "\"A text or an object. JSON or text\"" },
    { "id", "/type", "\"text\"" },
    { "any", "/is_area", "true" },
    { "url", "/type", "\"text\"" },
    { "url", "/is_area", "" },
    { "note", "/rows", "2" },
    { "usual", "/is_select", "true" },
    { "usual", "/options/0/label", "\"not set\"" },
    { "usual", "/options/2/value", "\"SHA-2\"" },
    { "usual", "/options/3", "" },
};

static void check_shown(void **state)
{
    const struct shown_row *row = *state;
    scoped(json_free) cJSON *fields = json_array();
    scoped(buf_free) struct buf got = BUF(1 << 10);
    const cJSON *field;
    playground_fields(probe, NULL, NULL, fields);
    cJSON_ArrayForEach(field, fields)
        if (strcmp(json_text(field, "/label"), row->name) == 0 && json_at(field, row->pointer))
            json_print(json_at(field, row->pointer), &got);
    assert_string_equal(buf_str(&got), row->want);
}

static void what_was_typed_is_shown_again(void **state)
{
    (void)state;
    static const struct typed typed[] = {
        { "v-must", "" }, { "v-any", "<b>" }, { "v-usual", "sha2" }, { NULL }
    };
    scoped(json_free) cJSON *fields = json_array();
    playground_fields(probe, value_in, typed, fields);
    assert_string_equal(json_text(fields, "/0/value"), "");
    assert_string_equal(json_text(fields, "/11/value"), "<b>");
    assert_string_equal(json_text(fields, "/14/options/3/value"), "sha2");
    assert_true(json_is(json_at(fields, "/14/options/3/is_chosen"), cJSON_True));
}

/* ---- the field of a message ---- */

static const struct message_row {
    const char *name; /* the message */
    const char *want;
} messages[] = {
    { "must is required", "must" },
    { "lines[3] must be a string", "lines" },
    { "tree.a must be an integer", "tree" },
    { "mustard is required", NULL },
    { "must", NULL },
    { "", NULL },
};

static void check_message(void **state)
{
    const struct message_row *row = *state;
    const char *property = playground_property_of(probe, row->name);
    assert_int_equal(property != NULL, row->want != NULL);
    if (property)
        assert_string_equal(property, row->want);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_example_comes_back),
        cmocka_unit_test_setup_teardown(what_was_typed_is_shown_again, load_probe, free_probe),
    };
    return cmocka_run_group_tests(tests, NULL, NULL) +
           RUN_ROWS_ON(requests, check_request, load_probe, free_probe) +
           RUN_ROWS_ON(shown, check_shown, load_probe, free_probe) +
           RUN_ROWS_ON(messages, check_message, load_probe, free_probe);
}
