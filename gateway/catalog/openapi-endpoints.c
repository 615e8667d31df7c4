/* gateway/catalog/openapi-endpoints.c - see openapi-endpoints.h. */
#include "gateway/catalog/openapi-endpoints.h"

#include <assert.h>

#include "base/mem.h"
#include "base/table.h"
#include "gateway/catalog/account-schemas.h"
#include "gateway/catalog/openapi-headers.h"
#include "gateway/catalog/openapi-parts.h"
#include "gateway/catalog/routes.h"
#include "gateway/catalog/token-schemas.h"
#include "text/json.h"

static void add_any_body(cJSON *operation)
{
    cJSON *body = json_map(operation, "requestBody");
    json_bool(body, "required", true);
    openapi_add_typed(json_map(json_map(body, "content"), openapi_json), "schema", "object");
}

struct question {
    const char *id;
    const char *summary;
    const char *about;
};

/* An endpoint about the account itself; takes over result, a schema. Returns its parameters. */
static cJSON *add_question(cJSON *paths, const struct limits *limits, enum route route,
                           const struct question *question, cJSON *result)
{
    scoped(mem_free) char *path = route_path(route, NULL);
    const char *method = route == ROUTE_DRY_RUN ? "post" : "get";
    cJSON *operation = json_map(json_map(paths, path), method);

    openapi_start_operation(operation, question->id, "account", question->summary, question->about);
    openapi_add_price(operation, 0, limits, "account");
    cJSON *parameters = json_list(operation, "parameters");
    openapi_add_ref(json_item(parameters), "parameters", "auuid");
    openapi_add_ref(json_item(parameters), "parameters", "X-Request-Id");
    if (route == ROUTE_DRY_RUN)
        add_any_body(operation);
    cJSON *responses = json_map(operation, "responses");
    cJSON *response = json_map(responses, "200");
    json_str(response, "description", question->summary);
    openapi_add_header_refs(response, headers_limited);
    openapi_add_envelope(json_map(response, "content"), result);
    openapi_add_failures(responses, FOR_ACCOUNT, NULL);
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
    json_str(openapi_add_typed(id, "schema", "string"), "format", "uuid");
}

static void add_token_body(cJSON *operation, const char *schema)
{
    cJSON *body = json_map(operation, "requestBody");
    json_bool(body, "required", true);
    json_add(json_map(json_map(body, "content"), openapi_json), "schema", parse(schema));
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
        openapi_start_operation(operation, row->id, "account", row->summary, row->about);
        openapi_add_price(operation, 0, limits, "account");
        cJSON *parameters = json_list(operation, "parameters");
        openapi_add_ref(json_item(parameters), "parameters", "auuid");
        if (row->route != ROUTE_TOKENS)
            add_token_id(parameters);
        openapi_add_ref(json_item(parameters), "parameters", "X-Request-Id");
        add_parsed(parameters, row->parameters);
        if (row->body)
            add_token_body(operation, row->body);
        cJSON *responses = json_map(operation, "responses");
        cJSON *response = json_map(responses, "200");
        json_str(response, "description", row->summary);
        openapi_add_header_refs(response, headers_limited);
        openapi_add_envelope(json_map(response, "content"), parse(row->result));
        openapi_add_failures(responses, row->body ? FOR_ACCOUNT | FOR_CHANGE : FOR_ACCOUNT, NULL);
    }
}

static void add_account(cJSON *paths, const struct limits *limits)
{
    static const struct question credits = {
        "account-credits", "Credit balance",
        "What can be spent now, how it came about, and what this token may spend. Free."
    };
    static const struct question usage = {
        "account-usage", "Usage",
        "Single entries, the newest first, or with group_by sums "
        "of whole days (UTC), of at most 92 "
        "days. Free."
    };
    static const struct question requests = { "account-requests", "Request log",
                                              "Single requests with status, error code and times, "
                                              "the newest first, also rejected ones, of at most 92 "
                                              "days. Free." };
    static const struct question invoices = {
        "account-invoices", "Invoices",
        "Invoices and credit notes, the newest first, with the "
        "address of each one's page. Free."
    };
    static const struct question windows = {
        "account-limits", "Limits", "How full the account's windows are, this call included. Free."
    };
    add_question(paths, limits, ROUTE_CREDITS, &credits, parse(credits_schema));
    add_parsed(add_question(paths, limits, ROUTE_USAGE, &usage, parse(usage_schema)),
               usage_parameters);
    add_parsed(add_question(paths, limits, ROUTE_REQUESTS, &requests, parse(requests_schema)),
               requests_parameters);
    add_parsed(add_question(paths, limits, ROUTE_INVOICES, &invoices, parse(invoices_schema)),
               invoices_parameters);
    add_question(paths, limits, ROUTE_LIMITS, &windows, parse(limits_schema));
    add_tokens(paths, limits);
}

/* One path for all tools: a path for each would double the document. */
static void add_dry_run(cJSON *paths, const struct catalog *catalog, const struct limits *limits)
{
    static const struct question dry_run = {
        "dry-run", "Dry run",
        "Checks a call without making it: the request against the tool's contract, and whether the "
        "call would be admitted now. The body is the tool's request, as JSON for all tools; "
        "unknown fields are errors. Free."
    };
    cJSON *parameters = add_question(paths, limits, ROUTE_DRY_RUN, &dry_run, parse(dry_run_schema));
    cJSON *tool = json_item(parameters);
    json_str(tool, "name", "tool");
    json_str(tool, "in", "path");
    json_bool(tool, "required", true);
    cJSON *names = json_list(openapi_add_typed(tool, "schema", "string"), "enum");
    for (size_t i = 0; i < catalog->count; i++)
        json_item_str(names, catalog->contracts[i]->tool);
    openapi_add_ref(json_item(parameters), "parameters", "Prefer");
}

/* A public document: without token, only the limit per address applies. */
static void add_prices(cJSON *paths)
{
    scoped(mem_free) char *path = route_path(ROUTE_TOOLS, NULL);
    cJSON *operation = json_map(json_map(paths, path), "get");
    openapi_start_operation(operation, "tools", "documents", "Prices",
                            "All tools with prices and limits, and the credit packs. "
                            "Cached for five minutes; has an ETag.");
    json_list(operation, "security");
    json_list(operation, "parameters");
    cJSON *responses = json_map(operation, "responses");
    cJSON *response = json_map(responses, "200");
    json_str(response, "description", "Tools and packs");
    openapi_add_header_refs(response, (const char *[]){ "X-Request-Id", NULL });
    openapi_add_envelope(json_map(response, "content"), parse(tools_schema));
    json_str(json_map(responses, "304"), "description",
             "Not modified since the ETag in If-None-Match");
    openapi_add_failures(responses, FOR_DOCUMENT, NULL);
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
        openapi_add_header_refs(response, i == 0 ? headers_paid : headers_always);
        cJSON *media = json_map(json_map(response, "content"), openapi_json);
        json_add(media, "schema", parse(mcp_answer));
    }
    json_str(json_map(responses, "202"), "description", "Accepted notification, without effect");
    openapi_add_ref(json_map(responses, "default"), "responses", "default");
}

static void add_mcp(cJSON *paths)
{
    scoped(mem_free) char *path = route_path(ROUTE_MCP, NULL);
    cJSON *operation = json_map(json_map(paths, path), "post");
    openapi_start_operation(
        operation, "mcp", "agents", "Model Context Protocol",
        "One message of an agent (revisions 2026-07-28, 2025-11-25, 2025-06-18). "
        "tools/call costs what the tool costs; all other methods are free.");
    cJSON *parameters = json_list(operation, "parameters");
    openapi_add_ref(json_item(parameters), "parameters", "auuid");
    openapi_add_ref(json_item(parameters), "parameters", "Idempotency-Key");
    openapi_add_ref(json_item(parameters), "parameters", "X-Request-Id");
    add_parsed(parameters, mcp_parameters);
    cJSON *body = json_map(operation, "requestBody");
    json_bool(body, "required", true);
    json_add(json_map(json_map(body, "content"), openapi_json), "schema", parse(mcp_request));
    add_mcp_statuses(json_map(operation, "responses"));
}

void openapi_add_endpoints(cJSON *paths, const struct catalog *catalog, const struct limits *limits)
{
    add_account(paths, limits);
    add_dry_run(paths, catalog, limits);
    add_prices(paths);
    add_mcp(paths);
}
