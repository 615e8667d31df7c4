/* gateway/catalog/openapi-parts.c - see openapi-parts.h. */
#include "gateway/catalog/openapi-parts.h"

#include <assert.h>

#include "base/mem.h"
#include "base/table.h"
#include "gateway/catalog/openapi-headers.h"
#include "gateway/catalog/openapi-schema.h"
#include "text/json.h"

const char openapi_json[] = "application/json";

/* clang-format off */

enum { FOR_TOOLS = FOR_POST | FOR_GET, FOR_TOKEN = FOR_TOOLS | FOR_ACCOUNT | FOR_CHANGE, FOR_ALL = FOR_TOKEN | FOR_DOCUMENT };

/* The errors that an operation lists, by kind of operation. */
static const struct failure {
    int status;
    unsigned applies;
    const char *const *headers;
} failures[] = {
    { 400, FOR_TOKEN, headers_wrong },
    { 402, FOR_TOOLS, headers_always },
    { 403, FOR_TOKEN, headers_denied },
    { 409, FOR_TOOLS | FOR_CHANGE, headers_later },
    { 413, FOR_POST | FOR_CHANGE, headers_always },
    { 415, FOR_POST | FOR_CHANGE, headers_always },
    { 422, FOR_TOOLS, headers_always },
    { 429, FOR_ALL,   headers_limited },
    { 500, FOR_ALL,   headers_always },
    { 502, FOR_TOKEN, headers_always },
    { 503, FOR_TOKEN, headers_later },
    { 504, FOR_TOKEN, headers_always },
};
/* clang-format on */

/* ---- small pieces ---- */

void openapi_add_ref(cJSON *object, const char *kind, const char *name)
{
    scoped(mem_free) char *pointer = str_format("#/components/%s/%s", kind, name);
    json_str(object, "$ref", pointer);
}

cJSON *openapi_add_typed(cJSON *object, const char *name, const char *type)
{
    cJSON *schema = json_map(object, name);
    json_str(schema, "type", type);
    return schema;
}

cJSON *openapi_add_strings(cJSON *object, const char *name, const char *const *strings)
{
    cJSON *list = json_list(object, name);
    for (; *strings; strings++)
        json_item_str(list, *strings);
    return list;
}

void openapi_add_header_refs(cJSON *response, const char *const *names)
{
    cJSON *map = json_map(response, "headers");
    for (; *names; names++)
        openapi_add_ref(json_map(map, *names), "headers", *names);
}

/* ---- schemas ---- */

cJSON *openapi_add_envelope(cJSON *content, cJSON *result)
{
    cJSON *media = json_map(content, openapi_json);
    cJSON *envelope = openapi_add_typed(media, "schema", "object");
    openapi_add_strings(envelope, "required",
                        (const char *[]){ "result", "success", "errors", NULL });
    cJSON *properties = json_map(envelope, "properties");
    json_add(properties, "result", result);
    json_bool(json_map(properties, "success"), "const", true);
    cJSON *errors = openapi_add_typed(properties, "errors", "array");
    json_int(errors, "maxItems", 0);
    openapi_add_ref(json_map(errors, "items"), "schemas", "Error");
    return media;
}

/* The envelope of an error, with its possible codes; takes over codes. */
static void add_failure_schema(cJSON *response, cJSON *codes)
{
    cJSON *schema = json_map(json_map(json_map(response, "content"), openapi_json), "schema");
    openapi_add_ref(schema, "schemas", "ErrorResponse");
    cJSON *errors = openapi_add_typed(json_map(schema, "properties"), "errors", "array");
    cJSON *item = openapi_add_typed(errors, "items", "object");
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
    openapi_add_header_refs(response, failure->headers);
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
        openapi_add_ref(response, "responses", name);
}

void openapi_add_failures(cJSON *responses, unsigned kind, const cJSON *own_errors)
{
    for (size_t i = 0; i < countof(failures); i++)
        if (failures[i].applies & kind)
            add_failure(responses, &failures[i], own_errors);
    openapi_add_ref(json_map(responses, "default"), "responses", "default");
}

/* ---- operations ---- */

static void add_limit(cJSON *object, const char *name, unsigned limit)
{
    if (limit > 0)
        json_int(object, name, limit);
}

void openapi_add_price(cJSON *operation, int64_t credits, const struct limits *limits,
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

void openapi_start_operation(cJSON *operation, const char *id, const char *tag, const char *summary,
                             const char *description)
{
    json_str(operation, "operationId", id);
    openapi_add_strings(operation, "tags", (const char *[]){ tag, NULL });
    json_str(operation, "summary", summary);
    json_str(operation, "description", description);
}

/* ---- what operations refer to ---- */

void openapi_add_shared_headers(cJSON *components)
{
    cJSON *map = json_map(components, "headers");
    for (size_t i = 0; i < header_count; i++) {
        cJSON *header = json_map(map, headers[i].name);
        json_str(header, "description", headers[i].about);
        openapi_add_typed(header, "schema", headers[i].type);
    }
}

void openapi_add_shared_responses(cJSON *components)
{
    cJSON *map = json_map(components, "responses");
    for (size_t i = 0; i < countof(failures); i++) {
        scoped(mem_free) char *name = str_format("%d", failures[i].status);
        fill_failure(json_map(map, name), &failures[i], platform_codes(failures[i].status));
    }
    cJSON *other = json_map(map, "default");
    json_str(other, "description", "Any other error, such as 404, 405, 408, 414 and 431");
    cJSON *schema = json_map(json_map(json_map(other, "content"), openapi_json), "schema");
    openapi_add_ref(schema, "schemas", "ErrorResponse");
}
