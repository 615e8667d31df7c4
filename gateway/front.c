/* gateway/front.c - an HTTP request, from its arrival to its response. */
#include "gateway/front.h"

#include <string.h>

#include "base/mem.h"
#include "base/os/clock.h"
#include "gateway/account/credits.h"
#include "gateway/account/invoices.h"
#include "gateway/account/requests.h"
#include "gateway/account/tokens.h"
#include "gateway/account/usage.h"
#include "gateway/account/windows.h"
#include "gateway/call/dry-run.h"
#include "gateway/call/envelope.h"
#include "gateway/http/http-call.h"
#include "gateway/mcp/mcp.h"
#include "gateway/mcp/rpc.h"
#include "text/json.h"

/* ---- requests without an account: health and public documents ---- */

const char *front_unready_reason(const struct gateway *gateway)
{
    return gateway->is_draining ? "draining" : NULL;
}

static bool tell_health(struct http_call *http)
{
    bool is_livez = http->route == ROUTE_LIVEZ;
    const char *why_not = is_livez ? NULL : front_unready_reason(http->call.gateway);
    struct http_response *response = http->response;
    response->status = why_not ? 503 : 200;
    buf_add_str(&response->headers, "Content-Type: text/plain\r\nCache-Control: no-store\r\n");
    buf_format(&response->body, "%s\n", why_not ? why_not : "ok");
    return true;
}

/* Any web page may read it: it has no account data. */
static void write_document(struct http_call *http, const struct document *document)
{
    struct http_response *response = http->response;
    bool is_known = document_is_known(document, http_header(http->request, "If-None-Match"));
    response->status = is_known ? 304 : 200;
    buf_format(&response->headers,
               "ETag: %s\r\nCache-Control: public, max-age=300\r\n"
               "Access-Control-Allow-Origin: *\r\nX-Content-Type-Options: nosniff\r\n",
               document->tag);
    if (is_known)
        return;
    buf_format(&response->headers, "Content-Type: %s\r\n", document->type);
    buf_add(&response->body, document->text, document->bytes);
}

static bool tell_document(struct http_call *http)
{
    struct gateway *gateway = http->call.gateway;
    if (strcmp(http->request->method, "HEAD") != 0 && !request_require_method(http, "GET"))
        return false;
    pthread_rwlock_rdlock(&gateway->limits_lock);
    write_document(http, documents_find(gateway->documents, http->route));
    pthread_rwlock_unlock(&gateway->limits_lock);
    return true;
}

static bool is_document(enum route route)
{
    return route == ROUTE_OPENAPI || route == ROUTE_TOOLS || route == ROUTE_LLMS ||
           route == ROUTE_RESOURCE;
}

/* Without oauth.enabled, the paths for connected apps are unknown. */
static enum route find_route(const struct http_call *http, struct route_names *names)
{
    enum route route = route_find(http->request->path, names);
    bool is_for_apps = route == ROUTE_APP_MCP || route == ROUTE_RESOURCE;
    return is_for_apps && !http->call.gateway->takes_apps ? ROUTE_NONE : route;
}

/* ---- requests of an account ---- */

/* GET …/account/credits. */
static bool serve_credits(struct http_call *http)
{
    struct http_response *response = http->response;
    scoped(token_facts_free) struct token_facts facts = { 0 };
    if (!call_count(&http->call) || !call_ask_token(&http->call, &facts))
        return false;
    scoped(json_free) cJSON *result = json_object();
    credits_write(&http->call.snapshot, &facts, result);
    json_print(result, &response->body);
    envelope_headers(&response->headers);
    envelope_result(&response->body);
    return true;
}

/* Count a question about the account. A management token needs the route's scope. */
static bool count_question(struct http_call *http)
{
    scoped(token_facts_free) struct token_facts facts = { 0 };
    struct call *call = &http->call;
    const char *scope = route_scope(http->route);
    if (http->is_management)
        call->offer = &call->gateway->catalog->balance; /* for all scopes */
    if (!call_count(call) || (http->is_management && !call_ask_token(call, &facts)))
        return false;
    return !http->is_management || token_facts_allow(&facts, scope, scope) ||
           call_refuse(call, ERR_SCOPE_DENIED,
                       "this management token's scopes do not include this");
}

/* GET …/account/usage. */
static bool serve_usage(struct http_call *http, const struct usage_question *question)
{
    struct call *call = &http->call;
    struct http_response *response = http->response;
    struct asker asker = asker_of(&call->account, call->token);
    struct err err = { 0 };
    if (!count_question(http))
        return false;
    if (!usage_write(call->gateway->usage, &asker, question, &response->body, &err))
        return errs_add_err(&call->errs, &err);
    envelope_headers(&response->headers);
    envelope_result(&response->body);
    return true;
}

/* GET …/account/requests. */
static bool serve_requests(struct http_call *http, const struct requests_question *question)
{
    struct call *call = &http->call;
    struct http_response *response = http->response;
    struct asker asker = asker_of(&call->account, call->token);
    struct err err = { 0 };
    if (!count_question(http))
        return false;
    if (!requests_write(call->gateway->usage, &asker, question, call->gateway->requests != NULL,
                        &response->body, &err))
        return errs_add_err(&call->errs, &err);
    envelope_headers(&response->headers);
    envelope_result(&response->body);
    return true;
}

/* GET …/account/invoices. */
static bool serve_invoices(struct http_call *http, const struct invoices_question *question)
{
    struct call *call = &http->call;
    struct http_response *response = http->response;
    struct asker asker = asker_of(&call->account, call->token);
    struct err err = { 0 };
    if (!count_question(http))
        return false;
    if (!invoices_write(call->gateway->usage, &asker, question, call->gateway->issuer,
                        &response->body, &err))
        return errs_add_err(&call->errs, &err);
    envelope_headers(&response->headers);
    envelope_result(&response->body);
    return true;
}

/* GET …/account/limits. This request counts in the windows. */
static bool serve_limits(struct http_call *http)
{
    struct call *call = &http->call;
    struct gateway *gateway = call->gateway;
    struct asker asker = asker_of(&call->account, call->token);
    scoped(windows_free) struct windows *windows = NULL;
    struct err err = { 0 };
    if (!call_count(call))
        return false;
    if (!windows_read(gateway->usage, gateway->catalog, &asker, &windows, &err))
        return errs_add_err(&call->errs, &err);
    scoped(json_free) cJSON *result = json_object();
    pthread_rwlock_rdlock(&gateway->limits_lock);
    windows_write(windows, gateway->limits, result);
    pthread_rwlock_unlock(&gateway->limits_lock);
    json_print(result, &http->response->body);
    envelope_headers(&http->response->headers);
    envelope_result(&http->response->body);
    return true;
}

/* The query of a request about the account. */
struct question {
    struct usage_question usage;
    struct requests_question requests;
    struct invoices_question invoices;
};

static bool read_question(struct http_call *http, struct question *question)
{
    struct err err = { 0 };
    struct text query = http->request->query;
    const struct catalog *catalog = http->call.gateway->catalog;
    bool ok = true;
    if (http->route == ROUTE_USAGE)
        ok = usage_read(query, clock_wall_ms(), catalog, &question->usage, &err);
    else if (http->route == ROUTE_REQUESTS)
        ok = requests_read(query, clock_wall_ms(), catalog, &question->requests, &err);
    else if (http->route == ROUTE_INVOICES)
        ok = invoices_read(query, &question->invoices, &err);
    return ok || errs_add_err(&http->call.errs, &err);
}

static bool tell_account(struct http_call *http, const struct question *question)
{
    if (http->route == ROUTE_USAGE)
        return serve_usage(http, &question->usage);
    if (http->route == ROUTE_REQUESTS)
        return serve_requests(http, &question->requests);
    if (http->route == ROUTE_INVOICES)
        return serve_invoices(http, &question->invoices);
    return http->route == ROUTE_LIMITS ? serve_limits(http) : serve_credits(http);
}

/* POST …/tools/{tool}/dry-run. It counts in the global window, as reading the balance does. */
static bool serve_dry_run(struct http_call *http)
{
    struct call *call = &http->call;
    const struct offer *tool = call->offer;
    struct http_response *response = http->response;
    http->dry_tool = tool;
    if (!request_check_dry(http)) {
        call_put_token_first(call);
        return false;
    }
    call->offer = &call->gateway->catalog->balance; /* for all scopes: the answer has the tool's */
    if (!call_count(call) ||
        !dry_run_write(call, tool, take(http->settled), &http->unknown, &response->body))
        return false;
    envelope_headers(&response->headers);
    envelope_result(&response->body);
    response->status = 200;
    return true;
}

static bool serve_account(struct http_call *http)
{
    struct call *call = &http->call;
    struct question question = { 0 };
    if (!request_require_open(http) || !request_read_token(http))
        return false;
    if (http->route == ROUTE_DRY_RUN)
        return serve_dry_run(http);
    if (!request_check(http) || !read_question(http, &question)) {
        call_put_token_first(call);
        return false;
    }
    bool ok = call->offer->contract ? call_buy(call) : tell_account(http, &question);
    if (ok)
        http->response->status = 200;
    return ok;
}

/* …/account/tokens and below, for management tokens. */
static bool serve_tokens(struct http_call *http, const struct route_names *names)
{
    struct call *call = &http->call;
    struct http_response *response = http->response;
    bool is_post = strcmp(http->request->method, "POST") == 0;
    enum tokens_act act = tokens_act_of(http->route, is_post);
    scoped(tokens_request_free) struct tokens_request request = { 0 };
    if (!request_require_open(http) || !request_read_token(http))
        return false;
    if ((is_post && !request_check_body(http)) ||
        !tokens_read(act, names, http->request->query, call->body, &request, &call->errs)) {
        call_put_token_first(call);
        return false;
    }
    if (!call_count(call) || !tokens_write(call, &request, &response->body))
        return false;
    envelope_headers(&response->headers);
    envelope_result(&response->body);
    response->status = 200;
    return true;
}

static bool serve(struct http_call *http)
{
    struct route_names names;
    if (!request_arrive(http))
        return false;
    http->route = find_route(http, &names);
    if (http->route == ROUTE_LIVEZ || http->route == ROUTE_READYZ)
        return tell_health(http);
    if (!request_pass_address(http))
        return false;
    if (is_document(http->route))
        return tell_document(http);
    if (!request_check_headers(http))
        return false;
    if (route_is_mcp(http->route))
        return mcp_serve(http, &names);
    if (route_is_tokens(http->route))
        return request_find_tokens(http, &names) && serve_tokens(http, &names);
    return request_find_offer(http, &names) && serve_account(http);
}

void front_handle(void *context, const struct http_request *request, struct http_response *response)
{
    struct http_call *http = mem_new(sizeof(*http)); /* too large for a civetweb thread's stack */
    http->request = request;
    http->response = response;
    request_begin(http, context);
    if (!serve(http))
        answer_errors(http, answer_is_challenge(http)   ? rpc_write_challenge
                            : route_is_mcp(http->route) ? rpc_write_request_error
                                                        : envelope_errors);
    answer_finish(http);
    mem_free(&http);
}

void front_write_error(int status, struct http_response *response)
{
    struct errs errs = { 0 };
    errs_add(&errs, status < 500 ? ERR_BAD_REQUEST : ERR_INTERNAL,
             status < 500 ? "the request is malformed" : "an internal error");
    envelope_headers(&response->headers);
    envelope_errors(&response->body, &errs);
}
