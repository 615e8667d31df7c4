/* gateway/catalog/openapi.c - the OpenAPI 3.1 document, built from the contracts. */
#include "gateway/catalog/openapi.h"

#include <assert.h>
#include <string.h>

#include "base/build.h"
#include "base/mem.h"
#include "base/table.h"
#include "gateway/catalog/openapi-endpoints.h"
#include "gateway/catalog/openapi-headers.h"
#include "gateway/catalog/openapi-parts.h"
#include "gateway/catalog/openapi-schema.h"
#include "gateway/catalog/routes.h"
#include "text/json.h"

enum { DOCUMENT_MAX_BYTES = 16 << 20 };

static const char about[] =
    "Analysis tools and developer utilities, paid per call in prepaid credits. A call with status "
    "200 is charged. A call with an error is not charged, except that the outcome is unknown after "
    "the error outcome_unknown, and after a 502 or 504 that is not in the envelope. Then retry "
    "within 24 hours with the same Idempotency-Key: the call is charged at most once. Every JSON "
    "response is an envelope of result, success and errors. In a request, null means absent and "
    "unknown properties are ignored and listed in X-Ignored-Fields; with Prefer: handling=strict "
    "they are the error unknown_field. Rate limits apply to any 60 seconds.";

/* The properties of a GET tool's request as query parameters. */
static void add_query(cJSON *parameters, const struct contract *contract)
{
    const cJSON *request = json_get(contract->document, "request");
    const cJSON *example = json_at(contract->document, "/examples/0/request");
    const cJSON *property;

    cJSON_ArrayForEach(property, json_get(request, "properties")) {
        const cJSON *value = json_get(example, property->string);
        cJSON *parameter = json_item(parameters);
        json_str(parameter, "name", property->string);
        json_str(parameter, "in", "query");
        json_bool(parameter, "required",
                  schema_lists(json_get(request, "required"), property->string));
        if (json_get(property, "description"))
            json_str(parameter, "description", json_text(property, "/description"));
        json_add(parameter, "schema", schema_convert(property));
        if (value)
            json_add(parameter, "example", json_copy(value));
    }
}

static void add_parameters(cJSON *operation, const struct contract *contract)
{
    cJSON *parameters = json_list(operation, "parameters");
    openapi_add_ref(json_item(parameters), "parameters", "auuid");
    openapi_add_ref(json_item(parameters), "parameters", "Idempotency-Key");
    openapi_add_ref(json_item(parameters), "parameters", "X-Request-Id");
    openapi_add_ref(json_item(parameters), "parameters", "Prefer");
    if (contract->is_get)
        add_query(parameters, contract);
}

static cJSON *in_envelope(const cJSON *result)
{
    cJSON *envelope = json_object();
    json_add(envelope, "result", json_copy(result));
    json_bool(envelope, "success", true);
    json_list(envelope, "errors");
    return envelope;
}

/* The named member of each example of the contract; results are in the envelope. */
static void add_examples(cJSON *media, const struct contract *contract, const char *member)
{
    const cJSON *example;
    cJSON *map = NULL;
    int number = 0;

    cJSON_ArrayForEach(example, json_get(contract->document, "examples")) {
        const cJSON *value = json_get(example, member);
        scoped(mem_free) char *name = str_format("%d", ++number);
        if (!value)
            continue;
        if (!map)
            map = json_map(media, "examples");
        json_add(json_map(map, name), "value",
                 strcmp(member, "result") == 0 ? in_envelope(value) : json_copy(value));
    }
}

static void add_body(cJSON *operation, const struct contract *contract)
{
    cJSON *body = json_map(operation, "requestBody");
    json_bool(body, "required", true);
    cJSON *media = json_map(json_map(body, "content"), openapi_json);
    json_add(media, "schema", schema_convert_object(json_get(contract->document, "request")));
    add_examples(media, contract, "request");
}

static void add_success(cJSON *responses, const struct contract *contract)
{
    const cJSON *result = json_get(contract->document, "result");
    const cJSON *type;
    cJSON *response = json_map(responses, "200");

    json_str(response, "description", "The tool's result");
    openapi_add_header_refs(response, headers_paid);
    cJSON *content = json_map(response, "content");
    if (result)
        add_examples(openapi_add_envelope(content, schema_convert_object(result)), contract,
                     "result");
    cJSON_ArrayForEach(type, json_get(contract->document, "raw"))
        json_map(content, json_text_of(type).bytes);
}

static void add_tool(cJSON *paths, const struct contract *contract, const struct limits *limits)
{
    scoped(mem_free) char *path = route_path(ROUTE_TOOL, contract->tool);
    cJSON *operation = json_map(json_map(paths, path), contract->is_get ? "get" : "post");

    openapi_start_operation(operation, contract->tool, contract->group, contract->title,
                            contract->summary);
    openapi_add_price(operation, contract->credits, limits, contract->rate_class);
    json_bool(operation, "x-open-world", contract->open_world);
    add_parameters(operation, contract);
    if (!contract->is_get)
        add_body(operation, contract);
    cJSON *responses = json_map(operation, "responses");
    add_success(responses, contract);
    openapi_add_failures(responses, contract->is_get ? FOR_GET : FOR_POST,
                         json_get(contract->document, "errors"));
}

/* ---- the parts that operations refer to ---- */

static void add_shared_parameters(cJSON *components)
{
    static const struct parameter {
        const char *name;
        const char *in;
        bool required;
        const char *format;
        const char *about;
    } parameters[] = {
        { "auuid", "path", true, "uuid", "The account" },
        { "Idempotency-Key", "header", false, NULL,
          "Makes retries safe: for 24 hours the same key and request return the stored response, "
          "free" },
        { "Prefer", "header", false, NULL,
          "handling=strict rejects a request with unknown fields; handling=lenient ignores them, "
          "also with a strict token" },
        { "X-Request-Id", "header", false, NULL,
          "Echoed in the response and logged; a value that contains a token is replaced" },
    };
    cJSON *map = json_map(components, "parameters");
    for (size_t i = 0; i < countof(parameters); i++) {
        const struct parameter *row = &parameters[i];
        cJSON *parameter = json_map(map, row->name);
        json_str(parameter, "name", row->name);
        json_str(parameter, "in", row->in);
        json_bool(parameter, "required", row->required);
        json_str(parameter, "description", row->about);
        cJSON *schema = openapi_add_typed(parameter, "schema", "string");
        if (row->format)
            json_str(schema, "format", row->format);
    }
}

static void add_shared_schemas(cJSON *components)
{
    cJSON *schemas = json_map(components, "schemas");
    cJSON *error = openapi_add_typed(schemas, "Error", "object");
    openapi_add_strings(error, "required", (const char *[]){ "code", "message", NULL });
    cJSON *fields = json_map(error, "properties");
    json_str(openapi_add_typed(fields, "code", "string"), "pattern", "^[a-z][a-z0-9_]*$");
    openapi_add_typed(fields, "message", "string");

    cJSON *error_response = openapi_add_typed(schemas, "ErrorResponse", "object");
    openapi_add_strings(error_response, "required",
                        (const char *[]){ "result", "success", "errors", NULL });
    cJSON *properties = json_map(error_response, "properties");
    json_int(openapi_add_typed(properties, "result", "object"), "maxProperties", 0);
    json_bool(json_map(properties, "success"), "const", false);
    cJSON *errors = openapi_add_typed(properties, "errors", "array");
    json_int(errors, "minItems", 1);
    openapi_add_ref(json_map(errors, "items"), "schemas", "Error");
}

static void add_components(cJSON *document)
{
    cJSON *components = json_map(document, "components");
    cJSON *bearer = json_map(json_map(components, "securitySchemes"), "bearer");
    json_str(bearer, "type", "http");
    json_str(bearer, "scheme", "bearer");
    json_str(bearer, "description", "An API token of the account: tg_live_…");
    add_shared_parameters(components);
    openapi_add_shared_headers(components);
    add_shared_schemas(components);
    openapi_add_shared_responses(components);
}

static void add_head(cJSON *document, const char *public_url)
{
    scoped(mem_free) char *build = str_format("%s (%s)", TOLLGATE_VERSION, build_name);
    json_str(document, "openapi", "3.1.0");
    json_str(document, "x-build", build);
    cJSON *info = json_map(document, "info");
    json_str(info, "title", "Tollgate");
    json_str(info, "version", OPENAPI_VERSION);
    json_str(info, "description", about);
    cJSON *contact = json_map(info, "contact");
    json_str(contact, "name", "Tollgate");
    json_str(contact, "url", public_url);
    cJSON *licence = json_map(info, "license"); /* of the OpenAPI document */
    json_str(licence, "name", "MIT");
    json_str(licence, "identifier", "MIT");
    json_str(json_item(json_list(document, "servers")), "url", public_url);
    json_list(json_item(json_list(document, "security")), "bearer");
}

static void add_tag(cJSON *tags, const char *name, const char *title)
{
    cJSON *tag = json_item(tags);
    json_str(tag, "name", name);
    json_str(tag, "description", title);
}

static void add_tags(cJSON *document, const struct catalog *catalog)
{
    cJSON *tags = json_list(document, "tags");
    for (size_t i = 0; i < catalog->group_count; i++)
        add_tag(tags, catalog->groups[i].name, catalog->groups[i].title);
    add_tag(tags, "account", "The account itself");
    add_tag(tags, "documents", "What everybody may read");
    add_tag(tags, "agents", "All tools by the Model Context Protocol");
}

char *openapi_build(const struct catalog *catalog, const struct limits *limits,
                    const char *public_url)
{
    scoped(json_free) cJSON *document = json_object();
    struct buf text = BUF(DOCUMENT_MAX_BYTES);

    add_head(document, public_url);
    add_tags(document, catalog);
    cJSON *paths = json_map(document, "paths");
    for (size_t i = 0; i < catalog->count; i++)
        add_tool(paths, catalog->contracts[i], limits);
    openapi_add_endpoints(paths, catalog, limits);
    add_components(document);
    bool fits = json_print(document, &text);
    assert(fits);
    return buf_take(&text);
}
