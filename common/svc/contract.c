/* common/svc/contract.c - loads contracts, and checks requests against them. */
#include "svc/contract.h"

#include <assert.h>
#include <glob.h>
#include <openssl/evp.h>
#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/table.h"
#include "base/text.h"
#include "svc/schema.h"
#include "text/json.h"
#include "text/yaml.h"

enum { DOCUMENT_BYTES = 8 << 20, TOOL_NAME_BYTES = 32, PROPERTY_NAME_BYTES = 64, CUT_MAX = 16 };

static const char folder_prefix[] = "svc-";

/* ---- the keys of a contract ---- */

static bool read_text(void *field, const cJSON *value)
{
    const char **text = field;
    *text = json_text(value, "");
    return *text && **text;
}

static bool read_flag(void *field, const cJSON *value)
{
    bool *flag = field;
    *flag = (value->type & 0xFF) == cJSON_True;
    return *flag || (value->type & 0xFF) == cJSON_False;
}

static bool read_method(void *field, const cJSON *value)
{
    bool *is_get = field;
    const char *method = json_text(value, "");
    *is_get = method && strcmp(method, "GET") == 0;
    return *is_get || (method && strcmp(method, "POST") == 0);
}

static bool read_range(const cJSON *value, int64_t least, int64_t most, int64_t *number)
{
    if (!json_is_integer(value))
        return false;
    *number = (int64_t)value->valuedouble;
    return *number >= least && *number <= most;
}

static bool read_credits(void *field, const cJSON *value)
{
    return read_range(value, 0, 1000, field);
}

static bool read_budget(void *field, const cJSON *value)
{
    return read_range(value, 100, 300000, field);
}

static bool read_reply_bytes(void *field, const cJSON *value)
{
    int64_t bytes;
    if (!read_range(value, 1, CONTRACT_REPLY_BYTES_MAX, &bytes))
        return false;
    *(size_t *)field = (size_t)bytes;
    return true;
}

static bool is_list_of(const cJSON *value, bool (*fits)(const char *text))
{
    const cJSON *item;
    cJSON_ArrayForEach(item, value) {
        const char *text = json_text(item, "");
        if (!text || !fits(text))
            return false;
    }
    return (value->type & 0xFF) == cJSON_Array;
}

static bool is_error_code(const char *text)
{
    return err_of_code(text) != ERR_NONE;
}

static bool is_tool_name(const char *text)
{
    return *text && text[strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789-")] == '\0';
}

static bool is_content_type(const char *text)
{
    return strchr(text, '/') != NULL;
}

/*
 * Agents' hosts put a server name before the tool's name, and some models accept at most 64
 * characters for both.
 */
static bool read_tool(void *field, const cJSON *value)
{
    const char **tool = field;
    return read_text(field, value) && is_tool_name(*tool) &&
           ascii_is_lower((unsigned char)**tool) && strlen(*tool) <= TOOL_NAME_BYTES;
}

/* The codes stay in the document; this only checks them. */
static bool read_errors(void *field, const cJSON *value)
{
    (void)field;
    return is_list_of(value, is_error_code);
}

/* False if an item is not right. */
static bool read_list(struct contract_list *list, const cJSON *value,
                      bool (*is_right)(const char *))
{
    const cJSON *item;
    if (!is_list_of(value, is_right))
        return false;
    list->item = mem_array((size_t)json_size(value), sizeof(*list->item));
    cJSON_ArrayForEach(item, value)
        list->item[list->count++] = json_text(item, "");
    return true;
}

static bool read_calls(void *field, const cJSON *value)
{
    return read_list(field, value, is_tool_name);
}

static bool read_raw(void *field, const cJSON *value)
{
    return value->child && read_list(field, value, is_content_type);
}

/*
 * Headers that a tool must not set: those of the gateway, those that frame a message (RFC 9112
 * section 6), and those that would affect the whole site. A name that ends in - is a prefix.
 */
static const char *const reserved_headers[] = {
    "Access-Control-",
    "Allow",
    "Connection",
    "Content-Encoding",
    "Content-Length",
    "Content-Type",
    "Date",
    "Idempotency-",
    "Location",
    "Retry-After",
    "Server",
    "Server-Timing",
    "Set-Cookie",
    "Strict-Transport-Security",
    "Trailer",
    "Transfer-Encoding",
    "WWW-Authenticate",
    "X-Credits-",
    "X-RateLimit-",
    "X-Request-Id",
    "traceparent",
};

/* A token of RFC 9110 section 5.6.2 that has only letters, digits and dashes. */
static bool is_raw_header(const char *name)
{
    struct text text = text_of(name);
    for (size_t i = 0; i < countof(reserved_headers); i++) {
        const char *reserved = reserved_headers[i];
        bool is_prefix = reserved[strlen(reserved) - 1] == '-';
        if (is_prefix ? text_begins_any_case(text, reserved) : text_is_any_case(text, reserved))
            return false;
    }
    for (size_t i = 0; i < text.size; i++)
        if (!ascii_is_alnum((unsigned char)name[i]) && name[i] != '-')
            return false;
    return text.size > 0 && text.size < CONTRACT_HEADER_NAME_BYTES;
}

static bool read_raw_headers(void *field, const cJSON *value)
{
    return json_size(value) <= CONTRACT_HEADERS_MAX && read_list(field, value, is_raw_header);
}

/* The rules stay in the document. tests/lint/contracts.py finds their places in the result. */
static bool read_cut(void *field, const cJSON *value)
{
    const cJSON *rule;
    (void)field;
    cJSON_ArrayForEach(rule, value) {
        size_t texts = (json_text(rule, "/at") != NULL) + (json_text(rule, "/argument") != NULL);
        if (!json_text(rule, "/at") || json_size(rule) != texts)
            return false;
    }
    return json_is(value, cJSON_Array) && value->child && json_size(value) <= CUT_MAX;
}

#define IN(field) offsetof(struct contract, field)

/* clang-format off */
static const struct key {
    const char *name;
    bool (*read)(void *field, const cJSON *value); /* NULL: read after all other keys */
    size_t offset;
    bool required;
    const char *wants;
} keys[] = {
    { "tool",            read_tool,        IN(tool),            true,  "1 to 32 lower-case letters, digits and dashes, a letter first" },
    { "title",           read_text,        IN(title),           true,  "a text" },
    { "summary",         read_text,        IN(summary),         true,  "a text" },
    { "method",          read_method,      IN(is_get),          false, "GET or POST" },
    { "credits",         read_credits,     IN(credits),         true,  "a whole number from 0 to 1000" },
    { "rate_class",      read_text,        IN(rate_class),      true,  "a text" },
    { "budget_ms",       read_budget,      IN(budget_ms),       true,  "a whole number from 100 to 300000" },
    { "retryable",       read_flag,        IN(retryable),       false, "true or false" },
    { "open_world",      read_flag,        IN(open_world),      false, "true or false" },
    { "intrusive",       read_flag,        IN(intrusive),       false, "true or false" },
    { "max_reply_bytes", read_reply_bytes, IN(max_reply_bytes), false, "a whole number from 1 to 25165824" },
    { "secret_input",    read_flag,        IN(secret_input),    false, "true or false" },
    { "raw",             read_raw,         IN(raw),             false, "a list of content types" },
    { "raw_headers",     read_raw_headers, IN(raw_headers),     false, "at most 8 names of headers that are not the gateway's" },
    { "request",         NULL,             0,                   true,  "a schema" },
    { "result",          NULL,             0,                   false, "a schema" },
    { "errors",          read_errors,      0,                   false, "a list of codes of base/err.def" },
    { "data",            NULL,             0,                   false, "a struct data_kind" },
    { "calls",           read_calls,       IN(calls),           false, "a list of tools" },
    { "cut",             read_cut,         0,                   false, "1 to 16 of at and argument" },
    { "examples",        NULL,             0,                   true,  "a list of request and result" },
};
/* clang-format on */

static bool read_key(const cJSON *value, struct contract *contract, struct err *err)
{
    const struct key *key = TABLE_FIND(keys, value->string);
    if (!key)
        return err_set(err, ERR_INVALID_VALUE, "%s is not a key that a contract has",
                       value->string);
    if (key->read && !key->read((char *)contract + key->offset, value))
        return err_set(err, ERR_INVALID_VALUE, "%s must be %s", key->name, key->wants);
    return true;
}

static bool read_keys(const cJSON *document, struct contract *contract, struct err *err)
{
    const cJSON *value;
    if ((document->type & 0xFF) != cJSON_Object)
        return err_set(err, ERR_INVALID_VALUE, "a contract must be a map of its keys");
    cJSON_ArrayForEach(value, document)
        if (!read_key(value, contract, err))
            return false;
    for (size_t i = 0; i < countof(keys); i++)
        if (keys[i].required && !json_get(document, keys[i].name))
            return err_set(err, ERR_INVALID_VALUE, "%s is missing", keys[i].name);
    return true;
}

/* ---- schemas and examples ---- */

static bool read_schema(const cJSON *document, const char *key, struct schema **schema,
                        struct err *err)
{
    const cJSON *source = json_get(document, key);
    if (!source)
        return true;
    if (!schema_new(key, source, schema, err))
        return false;
    if (!((*schema)->types & SCHEMA_OBJECT))
        return err_set(err, ERR_INVALID_VALUE, "%s must be an object", key);
    (*schema)->types = SCHEMA_OBJECT;
    return true;
}

/* A query contains only texts and plain digits, so contract_query() makes nothing else. */
static bool check_query_types(const struct contract *contract, struct err *err)
{
    for (size_t i = 0; contract->is_get && i < contract->request->property_count; i++) {
        const struct schema *property = &contract->request->properties[i];
        if (property->types != SCHEMA_INTEGER && property->types != SCHEMA_STRING)
            return err_set(err, ERR_INVALID_VALUE,
                           "request.properties.%s.type must be integer or string in a query",
                           property->name);
    }
    return true;
}

static bool is_property_name(const char *name)
{
    struct text text = text_of(name);
    for (size_t i = 0; i < text.size; i++)
        if (!ascii_is_alnum((unsigned char)name[i]) && !strchr("_.-", name[i]))
            return false;
    return text.size > 0 && text.size <= PROPERTY_NAME_BYTES;
}

/* Can agents be shown it? The names of properties are checked at the properties. */
static bool check_shown(const char *where, const struct schema *schema, struct err *err)
{
    unsigned types = schema->types == SCHEMA_ANY ? schema->hint_types : schema->types;
    if (types == 0)
        return err_set(err, ERR_INVALID_VALUE, "request: %s needs a type or a hint_type", where);
    if (types & SCHEMA_ARRAY && !schema->items)
        return err_set(err, ERR_INVALID_VALUE, "request: %s is a list and must have items", where);
    if (schema->items && !check_shown(where, schema->items, err))
        return false;
    for (size_t i = 0; i < schema->property_count; i++) {
        const struct schema *property = &schema->properties[i];
        if (!is_property_name(property->name))
            return err_set(err, ERR_INVALID_VALUE, "request: %.64s is not a valid property name",
                           property->name);
        if (!check_shown(property->name, property, err))
            return false;
    }
    return true;
}

/* Is `agent` used only by the result's own properties? */
static bool has_no_agent(const struct schema *schema)
{
    for (size_t i = 0; i < schema->property_count; i++)
        if (schema->properties[i].agent || !has_no_agent(&schema->properties[i]))
            return false;
    return !schema->items || (!schema->items->agent && has_no_agent(schema->items));
}

static bool read_agent_keys(struct contract *contract, struct err *err)
{
    const struct schema *result = contract->result;
    if (!has_no_agent(contract->request))
        return err_set(err, ERR_INVALID_VALUE, "agent is for properties of the result");
    contract->hidden.item =
        mem_array(result ? result->property_count : 0, sizeof(*contract->hidden.item));
    for (size_t i = 0; result && i < result->property_count; i++) {
        const struct schema *property = &result->properties[i];
        if (!has_no_agent(property))
            return err_set(err, ERR_INVALID_VALUE, "agent is for the result's own properties");
        if (!property->agent)
            continue;
        contract->hidden.item[contract->hidden.count++] = property->name;
        if (strcmp(property->agent, "image") == 0)
            contract->images = property->name;
    }
    return true;
}

static bool read_schemas(const cJSON *document, struct contract *contract, struct err *err)
{
    if (!read_schema(document, "request", &contract->request, err) ||
        !read_schema(document, "result", &contract->result, err) ||
        !check_shown("it", contract->request, err) || !read_agent_keys(contract, err))
        return false;
    if (!contract->result && contract->raw.count == 0)
        return err_set(err, ERR_INVALID_VALUE, "result is missing");
    return check_query_types(contract, err);
}

static bool check_example_keys(const cJSON *example, struct errs *errs)
{
    const cJSON *member;
    if (!json_get(example, "request"))
        return errs_add(errs, ERR_INVALID_VALUE, "request is missing");
    cJSON_ArrayForEach(member, example)
        if (strcmp(member->string, "request") != 0 && strcmp(member->string, "result") != 0)
            return errs_add(errs, ERR_INVALID_VALUE, "%s is not a key that an example has",
                            member->string);
    return true;
}

static bool check_example(const struct contract *contract, const cJSON *example, struct errs *errs)
{
    if (!check_example_keys(example, errs))
        return false;
    const cJSON *result = json_get(example, "result");
    if (result && !contract->result)
        return errs_add(errs, ERR_INVALID_VALUE, "result has no schema");
    if (result && !schema_check(contract->result, "result", result, errs))
        return false;
    scoped(json_free) cJSON *request = json_copy(json_get(example, "request"));
    schema_settle(contract->request, request, false, NULL);
    return schema_check(contract->request, "request", request, errs);
}

static bool check_examples(const struct contract *contract, struct err *err)
{
    const cJSON *examples = json_get(contract->document, "examples");
    const cJSON *example;
    size_t index = 0;

    if ((examples->type & 0xFF) != cJSON_Array || !examples->child)
        return err_set(err, ERR_INVALID_VALUE, "examples must be a list of request and result");
    cJSON_ArrayForEach(example, examples) {
        struct errs errs = { 0 };
        if (!check_example(contract, example, &errs))
            return err_set(err, ERR_INVALID_VALUE, "examples[%zu]: %s", index,
                           errs.item[0].message);
        index++;
    }
    return true;
}

/* ---- files ---- */

/* A contract, with the memory that it lends to its readers. */
struct loaded {
    struct contract contract; /* must be first: callers have its address */
    cJSON *document;
    char *group;
};

/* Cut the last name off a path, and return it; the whole path if it is the only name. */
static const char *cut_name(char *path)
{
    char *slash = strrchr(path, '/');
    if (!slash)
        return path;
    *slash = '\0';
    return slash + 1;
}

static bool is_yaml_of(const char *file, const char *tool)
{
    size_t stem = strlen(tool);
    return strncmp(file, tool, stem) == 0 && strcmp(file + stem, ".yaml") == 0;
}

/* The path names the group and the tool: .../svc-<group>/<tool>/<tool>.yaml. */
static bool read_path(const char *path, struct loaded *loaded, struct err *err)
{
    scoped(mem_free) char *rest = str_dup(path);
    const char *file = cut_name(rest);
    const char *folder = cut_name(rest);
    const char *group = cut_name(rest);
    const char *tool = loaded->contract.tool;

    if (strncmp(group, folder_prefix, strlen(folder_prefix)) != 0)
        return err_set(err, ERR_INVALID_VALUE, "a contract must be in a folder svc-<group>/<tool>");
    if (strcmp(folder, tool) != 0 || !is_yaml_of(file, tool))
        return err_set(err, ERR_INVALID_VALUE, "tool must be the name of the file and its folder");
    loaded->contract.group = loaded->group = str_dup(group + strlen(folder_prefix));
    return true;
}

static void digest_document(const cJSON *document, uint8_t digest[static CONTRACT_DIGEST_BYTES])
{
    scoped(buf_free) struct buf bytes = BUF(DOCUMENT_BYTES);
    unsigned char sum[EVP_MAX_MD_SIZE];
    bool ok = json_print(document, &bytes) &&
              EVP_Digest(bytes.bytes, bytes.size, sum, NULL, EVP_sha256(), NULL);
    assert(ok);
    memcpy(digest, sum, CONTRACT_DIGEST_BYTES);
}

static bool read_document(const char *path, struct loaded *loaded, struct err *err)
{
    struct contract *contract = &loaded->contract;
    contract->document = loaded->document;
    contract->max_reply_bytes = CONTRACT_REPLY_BYTES;
    digest_document(loaded->document, contract->digest);
    return read_keys(loaded->document, contract, err) && read_path(path, loaded, err) &&
           read_schemas(loaded->document, contract, err) && check_examples(contract, err);
}

bool contract_load(const char *path, struct contract **contract, struct err *err)
{
    struct loaded *loaded = mem_new(sizeof(*loaded));
    scoped(contract_free) struct contract *fresh = &loaded->contract;
    struct err why;

    if (!yaml_load(path, &loaded->document, err))
        return false;
    if (!read_document(path, loaded, &why))
        return err_set(err, ERR_INVALID_VALUE, "%s: %s", path, why.message);
    *contract = take(fresh);
    return true;
}

void contract_free(struct contract **contract)
{
    struct loaded *loaded = (struct loaded *)*contract;
    if (!loaded)
        return;
    schema_free(&loaded->contract.request);
    schema_free(&loaded->contract.result);
    mem_free(&loaded->contract.raw.item);
    mem_free(&loaded->contract.raw_headers.item);
    mem_free(&loaded->contract.calls.item);
    mem_free(&loaded->contract.hidden.item);
    json_free(&loaded->document);
    mem_free(&loaded->group);
    mem_free(contract);
}

bool contract_list_has(const struct contract_list *list, const char *item)
{
    for (size_t i = 0; i < list->count; i++)
        if (strcmp(list->item[i], item) == 0)
            return true;
    return false;
}

/* ---- all contracts below a directory ---- */

struct list {
    struct contract **item;
    size_t count;
};

static void list_free(struct list *list)
{
    while (list->count > 0)
        contract_free(&list->item[--list->count]);
    mem_free(&list->item);
}

/* Does the file have its folder's name? Other YAML files in a tool's folder are its data. */
static bool is_contract(const char *path)
{
    scoped(mem_free) char *rest = str_dup(path);
    const char *file = cut_name(rest);
    return is_yaml_of(file, cut_name(rest));
}

static int by_tool(const void *a, const void *b)
{
    const struct contract *const *left = a;
    const struct contract *const *right = b;
    return strcmp((*left)->tool, (*right)->tool);
}

static bool sort_list(struct list *list, struct err *err)
{
    qsort(list->item, list->count, sizeof(struct contract *), by_tool);
    for (size_t i = 1; i < list->count; i++)
        if (by_tool(&list->item[i - 1], &list->item[i]) == 0)
            return err_set(err, ERR_INVALID_VALUE, "tool %s has two contracts, svc-%s and svc-%s",
                           list->item[i]->tool, list->item[i - 1]->group, list->item[i]->group);
    return true;
}

bool contract_load_all(const char *directory, const char *group, struct contract ***contracts,
                       size_t *count, struct err *err)
{
    scoped(mem_free) char *pattern =
        str_format("%s/%s%s/*/*.yaml", directory, folder_prefix, group ? group : "*");
    scoped(globfree) glob_t files = { 0 };
    scoped(list_free) struct list list = { 0 };

    glob(pattern, 0, NULL, &files);
    list.item = mem_array(files.gl_pathc, sizeof(struct contract *));
    for (size_t i = 0; i < files.gl_pathc; i++)
        if (is_contract(files.gl_pathv[i]) &&
            !contract_load(files.gl_pathv[i], &list.item[list.count++], err))
            return false;
    if (list.count == 0)
        return err_set(err, ERR_INVALID_VALUE, "%s: no contract is there", pattern);
    if (!sort_list(&list, err))
        return false;
    *count = list.count;
    list.count = 0;
    *contracts = take(list.item);
    return true;
}

/* ---- requests ---- */

bool contract_check(const struct contract *contract, struct text body, cJSON **args,
                    struct unknown_fields *unknown, struct errs *errs)
{
    scoped(json_free) cJSON *request = NULL;
    struct err err;

    if (body.size == 0)
        return errs_add(errs, ERR_BODY_REQUIRED, "a JSON object is required as the body");
    if (!json_parse(body, JSON_DEPTH, &request, &err))
        return errs_add_err(errs, &err);
    if ((request->type & 0xFF) != cJSON_Object)
        return errs_add(errs, ERR_BODY_NOT_OBJECT, "the body must be a JSON object");
    schema_settle(contract->request, request, args != NULL, unknown);
    if (!schema_check(contract->request, "", request, errs))
        return false;
    if (args)
        *args = take(request);
    return true;
}

int64_t contracts_longest_ms(struct contract *const *contracts, size_t count)
{
    int64_t longest_ms = 0;
    for (size_t i = 0; i < count; i++)
        longest_ms = MAX(longest_ms, contracts[i]->budget_ms);
    return longest_ms;
}
