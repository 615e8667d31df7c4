/* gateway/catalog/openapi.c - the OpenAPI 3.1 document, built from the contracts. */
#include "gateway/catalog/openapi.h"

#include <assert.h>
#include <string.h>

#include "base/mem.h"
#include "base/table.h"
#include "gateway/catalog/account-schemas.h"
#include "gateway/catalog/openapi-headers.h"
#include "gateway/catalog/openapi-schema.h"
#include "gateway/catalog/routes.h"
#include "gateway/catalog/token-schemas.h"
#include "text/json.h"

enum { DOCUMENT_MAX_BYTES = 16 << 20 };

static const char json_type[] = "application/json";

static const char about[] =
    "Analysis tools and developer utilities, paid per call in prepaid credits. A call with status "
    "200 is charged. A call with an error is not charged, except that the outcome is unknown after "
    "the error outcome_unknown, and after a 502 or 504 that is not in the envelope. Then retry "
    "within 24 hours with the same Idempotency-Key: the call is charged at most once. Every JSON "
    "response is an envelope of result, success and errors. In a request, null means absent and "
    "unknown properties are ignored and listed in X-Ignored-Fields; with Prefer: handling=strict "
    "they are the error unknown_field. Rate limits apply to any 60 seconds.";

/* clang-format off */

enum { FOR_POST = 1, FOR_GET = 2, FOR_ACCOUNT = 4, FOR_CHANGE = 8, FOR_TOOLS = FOR_POST | FOR_GET, FOR_ALL = 15 };

/* The errors that an operation lists, by kind of operation. */
static const struct failure {
    int status;
    unsigned applies;
    const char *const *headers;
} failures[] = {
    { 400, FOR_ALL,   wrong },
    { 402, FOR_TOOLS, always },
    { 403, FOR_ALL,   denied },
    { 409, FOR_TOOLS | FOR_CHANGE, later },
    { 413, FOR_POST | FOR_CHANGE, always },
    { 415, FOR_POST | FOR_CHANGE, always },
    { 422, FOR_TOOLS, always },
    { 429, FOR_ALL,   limited },
    { 500, FOR_ALL,   always },
    { 502, FOR_ALL,   always },
    { 503, FOR_ALL,   later },
    { 504, FOR_ALL,   always },
};
/* clang-format on */

/* ---- small pieces ---- */

static void add_ref(cJSON *object, const char *kind, const char *name)
{
    scoped(mem_free) char *pointer = str_format("#/components/%s/%s", kind, name);
    json_str(object, "$ref", pointer);
}

static cJSON *add_typed(cJSON *object, const char *name, const char *type)
{
    cJSON *schema = json_map(object, name);
    json_str(schema, "type", type);
    return schema;
}

static cJSON *add_strings(cJSON *object, const char *name, const char *const *strings)
{
    cJSON *list = json_list(object, name);
    for (; *strings; strings++)
        json_item_str(list, *strings);
    return list;
}

static void add_header_refs(cJSON *response, const char *const *names)
{
    cJSON *map = json_map(response, "headers");
    for (; *names; names++)
        add_ref(json_map(map, *names), "headers", *names);
}

/* ---- schemas ---- */

static cJSON *add_envelope(cJSON *content, cJSON *result)
{
    cJSON *media = json_map(content, json_type);
    cJSON *envelope = add_typed(media, "schema", "object");
    add_strings(envelope, "required", (const char *[]){ "result", "success", "errors", NULL });
    cJSON *properties = json_map(envelope, "properties");
    json_add(properties, "result", result);
    json_bool(json_map(properties, "success"), "const", true);
    cJSON *errors = add_typed(properties, "errors", "array");
    json_int(errors, "maxItems", 0);
    add_ref(json_map(errors, "items"), "schemas", "Error");
    return media;
}

/* The envelope of an error, with its possible codes; takes over codes. */
static void add_failure_schema(cJSON *response, cJSON *codes)
{
    cJSON *schema = json_map(json_map(json_map(response, "content"), json_type), "schema");
    add_ref(schema, "schemas", "ErrorResponse");
    cJSON *errors = add_typed(json_map(schema, "properties"), "errors", "array");
    cJSON *item = add_typed(errors, "items", "object");
    json_add(json_map(json_map(item, "properties"), "code"), "enum", codes);
}

/* ---- failures ---- */

static cJSON *platform_codes(int status)
{
    cJSON *codes = json_array();
    for (enum err_kind kind = ERR_NONE + 1; kind < ERR_COUNT; kind++)
        if (err_is_platform(kind) && err_status(kind) == status)
            json_item_str(codes, err_code(kind));
    return codes;
}

static void fill_failure(cJSON *response, const struct failure *failure, cJSON *codes)
{
    json_str(response, "description", err_status_about(failure->status));
    add_header_refs(response, failure->headers);
    add_failure_schema(response, codes);
}

/* One error of an operation: the shared one, or a separate one if its contract adds codes. */
static void add_failure(cJSON *responses, const struct failure *failure, const cJSON *own_errors)
{
    const cJSON *error;
    bool own = false;
    scoped(mem_free) char *name = str_format("%d", failure->status);
    cJSON *response = json_map(responses, name);
    scoped(json_free) cJSON *codes = platform_codes(failure->status);

    cJSON_ArrayForEach(error, own_errors) {
        const char *code = json_text_of(error).bytes;
        if (err_status(err_of_code(code)) != failure->status || schema_lists(codes, code))
            continue;
        json_item_str(codes, code);
        own = true;
    }
    if (own)
        fill_failure(response, failure, take(codes));
    else
        add_ref(response, "responses", name);
}

static void add_failures(cJSON *responses, unsigned kind, const cJSON *own_errors)
{
    for (size_t i = 0; i < countof(failures); i++)
        if (failures[i].applies & kind)
            add_failure(responses, &failures[i], own_errors);
    add_ref(json_map(responses, "default"), "responses", "default");
}

/* ---- operations ---- */

static void add_limit(cJSON *object, const char *name, unsigned limit)
{
    if (limit > 0)
        json_int(object, name, limit);
}

static void add_price(cJSON *operation, int64_t credits, const struct limits *limits,
                      const char *class_name)
{
    const struct rate_class *class = limits_class(limits, class_name);
    assert(class);
    json_int(operation, "x-credits", credits);
    cJSON *rate = json_map(operation, "x-rate-limit");
    json_str(rate, "class", class->name);
    add_limit(rate, "endpoint_per_minute", class->endpoint_per_minute);
    add_limit(rate, "class_per_minute", class->class_per_minute);
    add_limit(rate, "daily_per_tool", class->daily_per_tool);
    add_limit(rate, "account_per_minute", limits->global_per_minute);
    add_limit(rate, "address_per_minute", limits->address_per_minute);
}

static void start_operation(cJSON *operation, const char *id, const char *tag, const char *summary,
                            const char *description)
{
    json_str(operation, "operationId", id);
    add_strings(operation, "tags", (const char *[]){ tag, NULL });
    json_str(operation, "summary", summary);
    json_str(operation, "description", description);
}

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
    add_ref(json_item(parameters), "parameters", "auuid");
    add_ref(json_item(parameters), "parameters", "Idempotency-Key");
    add_ref(json_item(parameters), "parameters", "X-Request-Id");
    add_ref(json_item(parameters), "parameters", "Prefer");
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
    cJSON *media = json_map(json_map(body, "content"), json_type);
    json_add(media, "schema", schema_convert_object(json_get(contract->document, "request")));
    add_examples(media, contract, "request");
}

static void add_success(cJSON *responses, const struct contract *contract)
{
    const cJSON *result = json_get(contract->document, "result");
    const cJSON *type;
    cJSON *response = json_map(responses, "200");

    json_str(response, "description", "The tool's result");
    add_header_refs(response, paid);
    cJSON *content = json_map(response, "content");
    if (result)
        add_examples(add_envelope(content, schema_convert_object(result)), contract, "result");
    cJSON_ArrayForEach(type, json_get(contract->document, "raw"))
        json_map(content, json_text_of(type).bytes);
}

static void add_tool(cJSON *paths, const struct contract *contract, const struct limits *limits)
{
    scoped(mem_free) char *path = route_path(ROUTE_TOOL, contract->tool);
    cJSON *operation = json_map(json_map(paths, path), contract->is_get ? "get" : "post");

    start_operation(operation, contract->tool, contract->group, contract->title, contract->summary);
    add_price(operation, contract->credits, limits, contract->rate_class);
    json_bool(operation, "x-open-world", contract->open_world);
    add_parameters(operation, contract);
    if (!contract->is_get)
        add_body(operation, contract);
    cJSON *responses = json_map(operation, "responses");
    add_success(responses, contract);
    add_failures(responses, contract->is_get ? FOR_GET : FOR_POST,
                 json_get(contract->document, "errors"));
}

static void add_any_body(cJSON *operation)
{
    cJSON *body = json_map(operation, "requestBody");
    json_bool(body, "required", true);
    add_typed(json_map(json_map(body, "content"), json_type), "schema", "object");
}

/* An endpoint about the account itself; takes over result, a schema. Returns its parameters. */
static cJSON *add_question(cJSON *paths, const struct limits *limits, enum route route,
                           const char *const *says, cJSON *result)
{
    scoped(mem_free) char *path = route_path(route, NULL);
    const char *method = route == ROUTE_DRY_RUN ? "post" : "get";
    cJSON *operation = json_map(json_map(paths, path), method);

    start_operation(operation, says[0], "account", says[1], says[2]);
    add_price(operation, 0, limits, "account");
    cJSON *parameters = json_list(operation, "parameters");
    add_ref(json_item(parameters), "parameters", "auuid");
    add_ref(json_item(parameters), "parameters", "X-Request-Id");
    if (route == ROUTE_DRY_RUN)
        add_any_body(operation);
    cJSON *responses = json_map(operation, "responses");
    cJSON *response = json_map(responses, "200");
    json_str(response, "description", says[1]);
    add_header_refs(response, limited);
    add_envelope(json_map(response, "content"), result);
    add_failures(responses, FOR_ACCOUNT, NULL);
    return parameters;
}

static cJSON *parse(const char *json)
{
    cJSON *tree = NULL;
    bool ok = json_parse(text_of(json), JSON_DEPTH, &tree, NULL);
    assert(ok);
    return tree;
}

static void add_parsed(cJSON *list, const char *const *texts)
{
    for (; *texts; texts++)
        json_item_add(list, parse(*texts));
}

static void add_token_id(cJSON *parameters)
{
    cJSON *id = json_item(parameters);
    json_str(id, "name", "id");
    json_str(id, "in", "path");
    json_bool(id, "required", true);
    json_str(id, "description", "The token");
    json_str(add_typed(id, "schema", "string"), "format", "uuid");
}

static void add_token_body(cJSON *operation, const char *schema)
{
    cJSON *body = json_map(operation, "requestBody");
    json_bool(body, "required", true);
    json_add(json_map(json_map(body, "content"), json_type), "schema", parse(schema));
}

/* The endpoints for management tokens; a path may have two. */
static void add_tokens(cJSON *paths, const struct limits *limits)
{
    cJSON *of_path = NULL;
    for (size_t i = 0; i < countof(token_operations); i++) {
        const struct token_operation *row = &token_operations[i];
        scoped(mem_free) char *path = route_path(row->route, NULL);
        if (i == 0 || row[-1].route != row->route)
            of_path = json_map(paths, path);
        cJSON *operation = json_map(of_path, row->method);
        start_operation(operation, row->id, "account", row->summary, row->about);
        add_price(operation, 0, limits, "account");
        cJSON *parameters = json_list(operation, "parameters");
        add_ref(json_item(parameters), "parameters", "auuid");
        if (row->route != ROUTE_TOKENS)
            add_token_id(parameters);
        add_ref(json_item(parameters), "parameters", "X-Request-Id");
        add_parsed(parameters, row->parameters);
        if (row->body)
            add_token_body(operation, row->body);
        cJSON *responses = json_map(operation, "responses");
        cJSON *response = json_map(responses, "200");
        json_str(response, "description", row->summary);
        add_header_refs(response, limited);
        add_envelope(json_map(response, "content"), parse(row->result));
        add_failures(responses, row->body ? FOR_ACCOUNT | FOR_CHANGE : FOR_ACCOUNT, NULL);
    }
}

static void add_account(cJSON *paths, const struct limits *limits)
{
    static const char *const credits[] = {
        "account-credits", "Credit balance",
        "What can be spent now, how it came about, and what this token may spend. Free."
    };
    static const char *const usage[] = { "account-usage", "Usage",
                                         "Single entries, the newest first, or with group_by sums "
                                         "of whole days (UTC), of at most 92 "
                                         "days. Free." };
    static const char *const requests[] = { "account-requests", "Request log",
                                            "Single requests with status, error code and times, "
                                            "the newest first, also rejected ones, of at most 92 "
                                            "days. Free." };
    static const char *const invoices[] = { "account-invoices", "Invoices",
                                            "Invoices and credit notes, the newest first, with the "
                                            "address of each one's page. Free." };
    static const char *const windows[] = {
        "account-limits", "Limits", "How full the account's windows are, this call included. Free."
    };
    add_question(paths, limits, ROUTE_CREDITS, credits, parse(credits_schema));
    add_parsed(add_question(paths, limits, ROUTE_USAGE, usage, parse(usage_schema)),
               usage_parameters);
    add_parsed(add_question(paths, limits, ROUTE_REQUESTS, requests, parse(requests_schema)),
               requests_parameters);
    add_parsed(add_question(paths, limits, ROUTE_INVOICES, invoices, parse(invoices_schema)),
               invoices_parameters);
    add_question(paths, limits, ROUTE_LIMITS, windows, parse(limits_schema));
    add_tokens(paths, limits);
}

/* One path for all tools: a path for each would double the document. */
static void add_dry_run(cJSON *paths, const struct catalog *catalog, const struct limits *limits)
{
    static const char *const says[] = {
        "dry-run", "Dry run",
        "Checks a call without making it: the request against the tool's contract, and whether the "
        "call would be admitted now. The body is the tool's request, as JSON for all tools; "
        "unknown fields are errors. Free."
    };
    cJSON *parameters = add_question(paths, limits, ROUTE_DRY_RUN, says, parse(dry_run_schema));
    cJSON *tool = json_item(parameters);
    json_str(tool, "name", "tool");
    json_str(tool, "in", "path");
    json_bool(tool, "required", true);
    cJSON *names = json_list(add_typed(tool, "schema", "string"), "enum");
    for (size_t i = 0; i < catalog->count; i++)
        json_item_str(names, catalog->contracts[i]->tool);
    add_ref(json_item(parameters), "parameters", "Prefer");
}

/* A public document: without token, only the limit per address applies. */
static void add_prices(cJSON *paths)
{
    static const struct failure failures_of_document[] = { { 429, FOR_ALL, later },
                                                           { 500, FOR_ALL, always } };
    scoped(mem_free) char *path = route_path(ROUTE_TOOLS, NULL);
    cJSON *operation = json_map(json_map(paths, path), "get");
    start_operation(operation, "tools", "documents", "Prices",
                    "All tools with prices and limits, and the credit packs. "
                    "Cached for five minutes; has an ETag.");
    json_list(operation, "security");
    json_list(operation, "parameters");
    cJSON *responses = json_map(operation, "responses");
    cJSON *response = json_map(responses, "200");
    json_str(response, "description", "Tools and packs");
    add_header_refs(response, (const char *[]){ "X-Request-Id", NULL });
    add_envelope(json_map(response, "content"), parse(tools_schema));
    json_str(json_map(responses, "304"), "description",
             "Not modified since the ETag in If-None-Match");
    for (size_t i = 0; i < countof(failures_of_document); i++)
        add_failure(responses, &failures_of_document[i], NULL);
    add_ref(json_map(responses, "default"), "responses", "default");
}

/* The HTTP statuses of JSON-RPC responses, with their meaning. */
static const struct mcp_status {
    const char *status;
    const char *about;
} mcp_statuses[] = {
    { "200", "The result, or an error of the message" },
    { "400", "Invalid JSON, message or query" },
    { "403", "Invalid token, or an origin that is not allowed" },
    { "404", "No such method (revision 2026-07-28)" },
    { "413", "The message is larger than 65,536 bytes" },
    { "415", "Not application/json" },
    { "429", "Too many requests from this address" },
    { "503", "The server is shutting down, or cannot check tokens" },
};

static void add_mcp_statuses(cJSON *responses)
{
    for (size_t i = 0; i < countof(mcp_statuses); i++) {
        cJSON *response = json_map(responses, mcp_statuses[i].status);
        json_str(response, "description", mcp_statuses[i].about);
        add_header_refs(response, i == 0 ? paid : always);
        cJSON *media = json_map(json_map(response, "content"), json_type);
        json_add(media, "schema", parse(mcp_answer));
    }
    json_str(json_map(responses, "202"), "description", "Accepted notification, without effect");
    add_ref(json_map(responses, "default"), "responses", "default");
}

static void add_mcp(cJSON *paths)
{
    scoped(mem_free) char *path = route_path(ROUTE_MCP, NULL);
    cJSON *operation = json_map(json_map(paths, path), "post");
    start_operation(operation, "mcp", "agents", "Model Context Protocol",
                    "One message of an agent (revisions 2026-07-28, 2025-11-25, 2025-06-18). "
                    "tools/call costs what the tool costs; all other methods are free.");
    cJSON *parameters = json_list(operation, "parameters");
    add_ref(json_item(parameters), "parameters", "auuid");
    add_ref(json_item(parameters), "parameters", "Idempotency-Key");
    add_ref(json_item(parameters), "parameters", "X-Request-Id");
    add_parsed(parameters, mcp_parameters);
    cJSON *body = json_map(operation, "requestBody");
    json_bool(body, "required", true);
    json_add(json_map(json_map(body, "content"), json_type), "schema", parse(mcp_request));
    add_mcp_statuses(json_map(operation, "responses"));
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
        cJSON *schema = add_typed(parameter, "schema", "string");
        if (row->format)
            json_str(schema, "format", row->format);
    }
}

static void add_shared_headers(cJSON *components)
{
    cJSON *map = json_map(components, "headers");
    for (size_t i = 0; i < countof(headers); i++) {
        cJSON *header = json_map(map, headers[i].name);
        json_str(header, "description", headers[i].about);
        add_typed(header, "schema", headers[i].type);
    }
}

static void add_shared_schemas(cJSON *components)
{
    cJSON *schemas = json_map(components, "schemas");
    cJSON *error = add_typed(schemas, "Error", "object");
    add_strings(error, "required", (const char *[]){ "code", "message", NULL });
    cJSON *fields = json_map(error, "properties");
    json_str(add_typed(fields, "code", "string"), "pattern", "^[a-z][a-z0-9_]*$");
    add_typed(fields, "message", "string");

    cJSON *error_response = add_typed(schemas, "ErrorResponse", "object");
    add_strings(error_response, "required",
                (const char *[]){ "result", "success", "errors", NULL });
    cJSON *properties = json_map(error_response, "properties");
    json_int(add_typed(properties, "result", "object"), "maxProperties", 0);
    json_bool(json_map(properties, "success"), "const", false);
    cJSON *errors = add_typed(properties, "errors", "array");
    json_int(errors, "minItems", 1);
    add_ref(json_map(errors, "items"), "schemas", "Error");
}

static void add_shared_responses(cJSON *components)
{
    cJSON *map = json_map(components, "responses");
    for (size_t i = 0; i < countof(failures); i++) {
        scoped(mem_free) char *name = str_format("%d", failures[i].status);
        fill_failure(json_map(map, name), &failures[i], platform_codes(failures[i].status));
    }
    cJSON *other = json_map(map, "default");
    json_str(other, "description", "Any other error, such as 404, 405, 408, 414 and 431");
    cJSON *schema = json_map(json_map(json_map(other, "content"), json_type), "schema");
    add_ref(schema, "schemas", "ErrorResponse");
}

static void add_components(cJSON *document)
{
    cJSON *components = json_map(document, "components");
    cJSON *bearer = json_map(json_map(components, "securitySchemes"), "bearer");
    json_str(bearer, "type", "http");
    json_str(bearer, "scheme", "bearer");
    json_str(bearer, "description", "An API token of the account: tg_live_…");
    add_shared_parameters(components);
    add_shared_headers(components);
    add_shared_schemas(components);
    add_shared_responses(components);
}

static void add_head(cJSON *document, const char *public_url)
{
    json_str(document, "openapi", "3.1.0");
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
    add_account(paths, limits);
    add_dry_run(paths, catalog, limits);
    add_prices(paths);
    add_mcp(paths);
    add_components(document);
    bool fits = json_print(document, &text);
    assert(fits);
    return buf_take(&text);
}
