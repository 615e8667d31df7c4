/* gateway/catalog/documents.c - writes the public documents. */
#include "gateway/catalog/documents.h"

#include <openssl/evp.h>
#include <stdio.h>
#include <string.h>

#include "base/codec/hex.h"
#include "base/mem.h"
#include "gateway/catalog/openapi.h"
#include "text/json.h"
#include "text/oauth/oauth.h"

enum { TOOLS_MAX_BYTES = 1 << 20, RESOURCE_MAX_BYTES = 4 << 10, TAG_DIGEST_BYTES = 8 };

/* ---- /v1/tools ---- */

static void add_limit(cJSON *limits, const char *name, unsigned calls)
{
    if (calls > 0)
        json_int(limits, name, calls);
}

static void add_tool(cJSON *list, const struct contract *contract, const struct rate_class *class)
{
    cJSON *tool = json_item(list);
    json_str(tool, "name", contract->tool);
    json_str(tool, "title", contract->title);
    json_str(tool, "summary", contract->summary);
    json_str(tool, "group", contract->group);
    json_str(tool, "method", contract->is_get ? "GET" : "POST");
    json_int(tool, "credits", contract->credits);
    cJSON *limits = json_map(tool, "limits");
    add_limit(limits, "endpoint_per_minute", class->endpoint_per_minute);
    add_limit(limits, "class_per_minute", class->class_per_minute);
    add_limit(limits, "daily", class->daily_per_tool);
    json_int(tool, "budget_ms", contract->budget_ms);
    json_bool(tool, "retryable", contract->retryable);
    json_bool(tool, "open_world", contract->open_world);
}

static char *build_tools(const struct documents_options *options)
{
    const struct catalog *catalog = options->catalog;
    scoped(json_free) cJSON *document = json_object();
    struct buf text = BUF(TOOLS_MAX_BYTES);
    cJSON *result = json_map(document, "result");
    json_str(result, "api_version", OPENAPI_VERSION);
    json_str(result, "buy_url", options->buy_url[0] ? options->buy_url : NULL);
    json_int(result, "signup_credits", options->signup_credits);
    json_add(result, "packs", options->packs ? json_copy(options->packs) : json_array());
    cJSON *tools = json_list(result, "tools");
    for (size_t i = 0; i < catalog->count; i++)
        add_tool(tools, catalog->contracts[i],
                 limits_class(options->limits, catalog->offers[i].rate_class));
    json_bool(document, "success", true);
    json_list(document, "errors");
    json_print(document, &text);
    return buf_take(&text);
}

/* ---- /llms.txt, of the form that https://llmstxt.org proposes ---- */

static void add_llms_head(struct buf *out, const char *url)
{
    buf_format(
        out,
        "# Tollgate\n\n"
        "> Analysis tools and developer utilities over HTTPS, paid per call in prepaid credits. "
        "Only calls with status 200 are charged. Every response is an envelope "
        "{\"result\", \"success\", \"errors\": [{\"code\", \"message\"}]}. A call is POST "
        "%s/v1/client/{account}/tools/{tool} with a JSON object and the header Authorization: "
        "Bearer. Unknown fields are listed in X-Ignored-Fields; Prefer: handling=strict rejects "
        "them. "
        "The same POST to …/tools/{tool}/dry-run is free and runs nothing.\n\n"
        "## Start\n\n"
        "- [OpenAPI](%s/openapi.json): every field, limit and error of every tool\n"
        "- [Prices](%s/v1/tools): all tools with prices and limits, as JSON\n"
        "- [Pages](%s/tools): each tool with examples\n"
        "- [Documentation](%s/docs): quickstart, errors, idempotency, limits, account, agents\n"
        "- MCP: POST %s/v1/client/{account}/mcp with the same header; ?groups= and ?tools= select "
        "tools\n\n"
        "## Tools\n\n",
        url, url, url, url, url, url);
}

/* NULL on error. */
static char *build_llms(const struct documents_options *options, struct err *err)
{
    const struct catalog *catalog = options->catalog;
    struct buf out = BUF(DOCUMENT_LLMS_BYTES);
    add_llms_head(&out, options->public_url);
    for (size_t i = 0; i < catalog->count; i++) {
        const struct contract *contract = catalog->contracts[i];
        buf_format(&out, "- [%s](%s/tools/%s): %s (%d credit%s)\n", contract->tool,
                   options->public_url, contract->tool, contract->summary, (int)contract->credits,
                   contract->credits == 1 ? "" : "s");
    }
    if (out.full) {
        buf_free(&out);
        err_set(err, ERR_INVALID_VALUE, "the tools' summaries make /llms.txt longer than %d bytes",
                DOCUMENT_LLMS_BYTES);
        return NULL;
    }
    return buf_take(&out);
}

/* ---- what an app needs to connect (RFC 9728 section 2) ---- */

static char *build_resource(const char *public_url)
{
    scoped(json_free) cJSON *document = json_object();
    scoped(mem_free) char *resource = str_format("%s%s", public_url, OAUTH_RESOURCE_PATH);
    scoped(mem_free) char *page = str_format("%s/docs/agents", public_url);
    struct buf text = BUF(RESOURCE_MAX_BYTES);
    json_str(document, "resource", resource);
    json_item_str(json_list(document, "authorization_servers"), public_url);
    oauth_scopes_add(document, "scopes_supported");
    json_item_str(json_list(document, "bearer_methods_supported"), "header");
    json_str(document, "resource_name", "Tollgate");
    json_str(document, "resource_documentation", page);
    json_print(document, &text);
    return buf_take(&text);
}

/* ---- all of them ---- */

/* Takes over text. */
static struct document make(enum route route, const char *type, char *text)
{
    struct document document = { route, type, text, strlen(text), "" };
    unsigned char sum[EVP_MAX_MD_SIZE];
    char hex[2 * TAG_DIGEST_BYTES + 1];
    EVP_Digest(text, document.bytes, sum, NULL, EVP_sha256(), NULL);
    hex_encode(hex, sum, TAG_DIGEST_BYTES);
    snprintf(document.tag, sizeof(document.tag), "\"%s\"", hex);
    return document;
}

bool documents_build(const struct documents_options *options, struct documents **made,
                     struct err *err)
{
    static const char json[] = "application/json";
    char *llms = build_llms(options, err);
    if (!llms)
        return false;
    struct documents *documents = mem_new(sizeof(*documents));
    documents->item[0] = make(ROUTE_LLMS, "text/markdown; charset=utf-8", llms);
    documents->item[1] = make(ROUTE_TOOLS, json, build_tools(options));
    documents->item[2] = make(
        ROUTE_OPENAPI, json, openapi_build(options->catalog, options->limits, options->public_url));
    documents->item[3] = make(ROUTE_RESOURCE, json, build_resource(options->issuer));
    *made = documents;
    return true;
}

void documents_free(struct documents **documents)
{
    for (size_t i = 0; *documents && i < DOCUMENTS; i++)
        mem_free(&(*documents)->item[i].text);
    mem_free(documents);
}

const struct document *documents_find(const struct documents *documents, enum route route)
{
    for (size_t i = 0; i < DOCUMENTS; i++)
        if (documents->item[i].route == route)
            return &documents->item[i];
    return NULL;
}

bool document_is_known(const struct document *document, const char *if_none_match)
{
    struct text rest = text_of(if_none_match);
    while (rest.size > 0) {
        struct text tag = text_trim(text_cut(&rest, ','));
        if (text_begins(tag, "W/"))
            tag = text_skip(tag, 2);
        if (text_is(tag, document->tag) || text_is(tag, "*"))
            return true;
    }
    return false;
}
