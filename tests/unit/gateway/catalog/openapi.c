/* tests/unit/gateway/catalog/openapi.c - what the document says about two contracts. */
#include "gateway/catalog/openapi.h"

#include <string.h>

#include "rows.h"
#include "text/json.h"

static const char hash_path[] = "/v1/client/{auuid}/tools/hash-generate";
static const char image_path[] = "/v1/client/{auuid}/tools/placeholder-image";
static const char credits_path[] = "/v1/client/{auuid}/account/credits";

static const char hash_document[] =
    "{'request':{'required':['input'],'one_of_required':['input','data'],'properties':{"
    "'input':{'type':'string','maxLength':9,'aliases':['text'],'allow_nul':true},"
    "'list':{'type':'array','items':{'type':['string','null'],'aliases':['x'],'example':'e'}},"
    "'pair':{'type':['array','null']},'inner':{'properties':{'a':{'type':'null'}},'one_of_required'"
    ":['a'],"
    "'one_of_exclusive':true},"
    "'data':{'const':'properties','enum':['items'],'default':'aliases'}}},"
    "'result':{'required':['hash'],'properties':{'hash':{'type':'string'}}},"
    "'errors':['unknown_algorithm','target_timeout','invalid_value'],"
    "'examples':[{'request':{'input':'abc'},'result':{'hash':'ba78'}},{'request':{'input':''}}]}";

static const char image_document[] =
    "{'request':{'required':['w'],'properties':{'w':{'type':'integer','minimum':1,"
    "'description':'Width','aliases':['width']},'text':{'type':'string'}}},"
    "'raw':['image/svg+xml'],'examples':[{'request':{'w':300}}]}";

static cJSON *parse(const char *quoted) /* 'single quotes' are JSON's double ones */
{
    cJSON *tree = NULL;
    scoped(mem_free) char *text = str_dup(quoted);
    for (char *at = text; *at; at++)
        if (*at == '\'')
            *at = '"';
    assert_true(json_parse(text_of(text), JSON_DEPTH, &tree, NULL));
    return tree;
}

static cJSON *build(void)
{
    scoped(json_free) cJSON *hash = parse(hash_document);
    scoped(json_free) cJSON *image = parse(image_document);
    scoped(limits_free) struct limits *limits = NULL;
    cJSON *document = NULL;
    struct contract hash_generate = {
        .tool = "hash-generate",
        .group = "utils",
        .title = "Hash generator",
        .summary = "Hex digest of a text.",
        .rate_class = "utility",
        .credits = 3,
        .document = hash,
    };
    struct contract placeholder_image = {
        .tool = "placeholder-image",
        .group = "chat",
        .title = "Placeholder",
        .summary = "An image.",
        .rate_class = "ai",
        .is_get = true,
        .credits = 1,
        .document = image,
    };
    const struct catalog catalog = {
        .count = 2,
        .contracts = (struct contract *[]){ &hash_generate, &placeholder_image },
        .group_count = 2,
        .groups = (struct tool_group[]){ { "utils", "Developer utilities" },
                                         { "chat", "Chat-platform tools" } },
    };

    assert_true(limits_load(SOURCE_ROOT "/gateway/limits.yaml", &limits, NULL));
    scoped(mem_free) char *text = openapi_build(&catalog, limits, "https://api.example");
    assert_true(json_parse(text_of(text), JSON_DEPTH, &document, NULL));
    return document;
}

static const struct row {
    const char *name;
    const char *path;    /* of an operation; NULL: pointer begins at the document */
    const char *pointer; /* below it */
    const char *want;    /* JSON in single quotes; NULL: nothing there */
} rows[] = {
    { "version", NULL, "/openapi", "'3.1.0'" },
    { "version of the API", NULL, "/info/version", "'1.0.0'" },
    { "server", NULL, "/servers", "[{'url':'https://api.example'}]" },
    { "token everywhere", NULL, "/security", "[{'bearer':[]}]" },
    { "token's scheme", NULL, "/components/securitySchemes/bearer/scheme", "'bearer'" },
    { "tags of groups and account", NULL, "/tags",
      "[{'name':'utils','description':'Developer utilities'},{'name':'chat','description':"
      "'Chat-platform tools'},{'name':'account','description':'The account itself'},"
      "{'name':'documents','description':'What everybody may read'},"
      "{'name':'agents','description':'All tools by the Model Context Protocol'}]" },

    { "POST", hash_path, "/post/operationId", "'hash-generate'" },
    { "POST is no GET", hash_path, "/get", NULL },
    { "tag", hash_path, "/post/tags", "['utils']" },
    { "title", hash_path, "/post/summary", "'Hash generator'" },
    { "summary", hash_path, "/post/description", "'Hex digest of a text.'" },
    { "price", hash_path, "/post/x-credits", "3" },
    { "limits of the class", hash_path, "/post/x-rate-limit",
      "{'class':'utility','endpoint_per_minute':30,'account_per_minute':60,"
      "'address_per_minute':120}" },
    { "account in the path", hash_path, "/post/parameters/0",
      "{'$ref':'#/components/parameters/auuid'}" },
    { "idempotency key", hash_path, "/post/parameters/1",
      "{'$ref':'#/components/parameters/Idempotency-Key'}" },
    { "preference", hash_path, "/post/parameters/3", "{'$ref':'#/components/parameters/Prefer'}" },
    { "no query", hash_path, "/post/parameters/4", NULL },
    { "body required", hash_path, "/post/requestBody/required", "true" },

    { "a request is an object", hash_path, "/post/requestBody/content/application~json/schema/type",
      "'object'" },
    { "required stays", hash_path, "/post/requestBody/content/application~json/schema/required",
      "['input']" },
    { "one of required", hash_path, "/post/requestBody/content/application~json/schema/allOf",
      "[{'anyOf':[{'required':['input']},{'required':['data']}]}]" },
    { "one only", hash_path,
      "/post/requestBody/content/application~json/schema/properties/inner/allOf",
      "[{'oneOf':[{'required':['a']}]}]" },
    { "our own key is gone", hash_path,
      "/post/requestBody/content/application~json/schema/one_of_required", NULL },
    { "our own flag is gone", hash_path,
      "/post/requestBody/content/application~json/schema/properties/inner/one_of_exclusive", NULL },
    { "aliases and NUL", hash_path,
      "/post/requestBody/content/application~json/schema/properties/input",
      "{'type':'string','maxLength':9,'x-aliases':['text'],'x-allow-nul':true}" },
    { "a list of anything", hash_path,
      "/post/requestBody/content/application~json/schema/properties/pair",
      "{'type':['array','null'],'items':{}}" },
    { "an object without a type", hash_path,
      "/post/requestBody/content/application~json/schema/properties/inner",
      "{'properties':{'a':{'type':'null'}},'allOf':[{'oneOf':[{'required':['a']}]}],"
      "'type':'object'}" },
    { "items are converted too", hash_path,
      "/post/requestBody/content/application~json/schema/properties/list/items",
      "{'type':['string','null'],'x-aliases':['x'],'examples':['e']}" },
    { "values are not", hash_path,
      "/post/requestBody/content/application~json/schema/properties/data",
      "{'const':'properties','enum':['items'],'default':'aliases'}" },
    { "request examples", hash_path, "/post/requestBody/content/application~json/examples",
      "{'1':{'value':{'input':'abc'}},'2':{'value':{'input':''}}}" },

    { "result in its envelope", hash_path, "/post/responses/200/content/application~json/schema",
      "{'type':'object','required':['result','success','errors'],'properties':{"
      "'result':{'required':['hash'],'properties':{'hash':{'type':'string'}},'type':'object'},"
      "'success':{'const':true},'errors':{'type':'array','maxItems':0,"
      "'items':{'$ref':'#/components/schemas/Error'}}}}" },
    { "result examples", hash_path, "/post/responses/200/content/application~json/examples",
      "{'1':{'value':{'result':{'hash':'ba78'},'success':true,'errors':[]}}}" },
    { "charge in a header", hash_path, "/post/responses/200/headers/X-Credits-Charged",
      "{'$ref':'#/components/headers/X-Credits-Charged'}" },
    { "own 502, once", hash_path,
      "/post/responses/502/content/application~json/schema/properties/errors/items/properties/"
      "code/enum",
      "['upstream_unavailable','target_timeout']" },
    { "own 400 behind the shared ones, once", hash_path,
      "/post/responses/400/content/application~json/schema/properties/errors/items/properties/"
      "code/enum",
      "['bad_request','invalid_json','too_deep','body_required','body_not_object','missing_field',"
      "'unknown_field',"
      "'invalid_type','invalid_value','too_long','too_short','too_many_items','too_few_items',"
      "'invalid_account_id','invalid_idempotency_key','invalid_query','unknown_algorithm']" },
    { "shared 402", hash_path, "/post/responses/402", "{'$ref':'#/components/responses/402'}" },
    { "any other rejection", hash_path, "/post/responses/default",
      "{'$ref':'#/components/responses/default'}" },
    { "402 has its code", NULL,
      "/components/responses/402/content/application~json/schema/properties/errors/items/"
      "properties/code/enum",
      "['insufficient_credits']" },
    { "429 says when", NULL, "/components/responses/429/headers/Retry-After",
      "{'$ref':'#/components/headers/Retry-After'}" },

    { "GET", image_path, "/get/operationId", "'placeholder-image'" },
    { "GET has no body", image_path, "/get/requestBody", NULL },
    { "daily limit", image_path, "/get/x-rate-limit/daily_per_tool", "10" },
    { "query parameter", image_path, "/get/parameters/4",
      "{'name':'w','in':'query','required':true,'description':'Width','schema':{"
      "'type':'integer','minimum':1,'description':'Width','x-aliases':['width']},'example':300}" },
    { "optional query parameter", image_path, "/get/parameters/5",
      "{'name':'text','in':'query','required':false,'schema':{'type':'string'}}" },
    { "image and nothing else", image_path, "/get/responses/200/content", "{'image/svg+xml':{}}" },
    { "a GET has no body to reject", image_path, "/get/responses/413", NULL },

    { "balance is free", credits_path, "/get/x-credits", "0" },
    { "balance counts in the global window", credits_path, "/get/x-rate-limit",
      "{'class':'account','account_per_minute':60,'address_per_minute':120}" },
    { "balance's fields", credits_path,
      "/get/responses/200/content/application~json/schema/properties/result/required",
      "['credits','held','granted','purchased','used','as_of','token']" },
    { "balance needs no credits", credits_path, "/get/responses/402", NULL },
};

/* json_at() with ~ for the / of a media type. */
static const cJSON *find(const cJSON *node, const char *pointer)
{
    while (node && *pointer) {
        size_t length = strcspn(pointer + 1, "/");
        scoped(mem_free) char *name = mem_dup(pointer + 1, length);
        for (char *at = strchr(name, '~'); at; at = strchr(at, '~'))
            *at = '/';
        scoped(mem_free) char *step = str_format("/%s", name);
        node = (node->type & 0xff) == cJSON_Array ? json_at(node, step) : json_get(node, name);
        pointer += 1 + length;
    }
    return node;
}

static void check(void **state)
{
    const struct row *row = *state;
    scoped(json_free) cJSON *document = build();
    scoped(buf_free) struct buf text = BUF(1 << 20);
    const cJSON *start = row->path ? json_get(json_get(document, "paths"), row->path) : document;
    assert_non_null(start);

    const cJSON *found = find(start, row->pointer);
    assert_int_equal(found != NULL, row->want != NULL);
    if (!found)
        return;
    scoped(json_free) cJSON *want = parse(row->want);
    assert_true(json_print(found, &text));
    if (!json_equal(found, want))
        fail_msg("found %s", buf_str(&text));
}

/* ---- the document is consistent ---- */

static void check_refs(const cJSON *document, const cJSON *node)
{
    const cJSON *child;
    cJSON_ArrayForEach(child, node) {
        if (child->string && strcmp(child->string, "$ref") == 0) {
            const char *pointer = json_text_of(child).bytes;
            assert_memory_equal(pointer, "#/", 2);
            if (!find(document, pointer + 1))
                fail_msg("%s leads nowhere", pointer);
        }
        check_refs(document, child);
    }
}

static void every_reference_leads_somewhere(void **state)
{
    (void)state;
    scoped(json_free) cJSON *document = build();
    check_refs(document, document);
}

/* Each listed rejection has at least one code. */
static void every_refusal_has_a_code(void **state)
{
    (void)state;
    scoped(json_free) cJSON *document = build();
    const cJSON *response;
    cJSON_ArrayForEach(response, find(document, "/components/responses")) {
        if (strcmp(response->string, "default") != 0)
            assert_non_null(find(response, "/content/application~json/schema/properties/errors/"
                                           "items/properties/code/enum/0"));
    }
}

int main(void)
{
    const struct CMUnitTest singles[] = {
        cmocka_unit_test(every_reference_leads_somewhere),
        cmocka_unit_test(every_refusal_has_a_code),
    };
    return RUN_ROWS(rows, check) + cmocka_run_group_tests(singles, NULL, NULL);
}
