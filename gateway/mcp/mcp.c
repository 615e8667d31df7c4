/* gateway/mcp/mcp.c - serves one message of an agent. */
#include "gateway/mcp/mcp.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/mem.h"
#include "base/os/clock.h"
#include "base/os/log.h"
#include "base/table.h"
#include "gateway/account/credits.h"
#include "gateway/mcp/answer.h"
#include "gateway/mcp/arguments.h"
#include "gateway/mcp/era.h"
#include "gateway/mcp/message.h"
#include "gateway/mcp/progress.h"
#include "gateway/mcp/tool-filter.h"

enum {
    ARGUMENTS_MAX_BYTES = 512 << 10, /* a body of 64 KiB, with escapes */
    TOOL_NAME_MAX_BYTES = 64,
};

/* ---- checks before the message ---- */

/* Check Origin: a web page of another site must not use this endpoint through a visitor's browser.
 */
static bool check_origin(struct http_call *http)
{
    const struct gateway *gateway = http->call.gateway;
    const char *origin = http_header(http->request, "Origin");
    for (size_t i = 0; origin && i < gateway->origin_count; i++)
        if (strcasecmp(origin, gateway->origins[i]) == 0)
            return true;
    return !origin || call_refuse(&http->call, ERR_ORIGIN_NOT_ALLOWED,
                                  "pages of this origin may not use the API; its operator can "
                                  "allow it");
}

static struct era_headers read_headers(const struct http_call *http)
{
    return (struct era_headers){ http_header(http->request, "MCP-Protocol-Version"),
                                 http_header(http->request, "Mcp-Method"),
                                 http_header(http->request, "Mcp-Name") };
}

/* Copy the client's name, if it is printable, for the log. */
static void copy_client_name(struct mcp *mcp)
{
    struct mcp_trait *trait = &mcp->http->mcp;
    const char *name = mcp_message_text(&mcp->message, META_CLIENT_NAME);
    if (!name)
        name = mcp_message_text(&mcp->message, CLIENT_NAME);
    for (size_t i = 0; name && name[i] && i < CLIENT_MAX_BYTES; i++)
        trait->client[i] = name[i] >= ' ' && name[i] <= '~' ? name[i] : '?';
    if (name && log_holds_secret(name))
        snprintf(trait->client, sizeof(trait->client), "%s", LOG_TOKEN_PREFIX);
}

/* Read the query (visible tools) and the body (one message). */
static bool read_message(struct mcp *mcp)
{
    struct call *call = &mcp->http->call;
    struct err err = { 0 };
    pthread_rwlock_rdlock(&call->gateway->limits_lock);
    bool ok =
        tool_filter_read(call->gateway->mcp_tools, mcp->http->request->query, &mcp->choice, &err);
    pthread_rwlock_unlock(&call->gateway->limits_lock);
    if (!ok)
        return errs_add_err(&call->errs, &err);
    ok = mcp_message_read(mcp->http->request->body, &mcp->message, &mcp->fault);
    mcp->http->mcp.method = ok && mcp->message.is_notification ? "notification" : "other";
    return ok;
}

/* ---- the free methods ---- */

static void serve_initialize(struct mcp *mcp)
{
    const char *asked = mcp_message_text(&mcp->message, PARAMS_VERSION);
    if (!asked)
        rpc_fault_set(&mcp->fault, RPC_INVALID_PARAMS, 200, "protocolVersion must be a string");
    else
        answer_initialize(mcp, era_legacy_version(asked));
}

static void tell_tools(struct mcp *mcp)
{
    struct gateway *gateway = mcp->http->call.gateway;
    pthread_rwlock_rdlock(&gateway->limits_lock);
    mcp_tools_cut(gateway->mcp_tools, &mcp->facts, &mcp->choice);
    pthread_rwlock_unlock(&gateway->limits_lock);
    if (mcp->message.value[PARAMS_CURSOR].kind != JSON_END)
        rpc_fault_set(&mcp->fault, RPC_INVALID_PARAMS, 200,
                      "the list has one page; cursor is not supported");
    else
        answer_tools(mcp);
}

/* ---- tools/call ---- */

static bool reject_tool(struct mcp *mcp, const char *why)
{
    return rpc_fault_set(&mcp->fault, RPC_INVALID_PARAMS, 200, why);
}

/* The tool that was probably meant, of those that the request may see. The name of a tool that it
 * may not see is correct. */
static const char *find_nearest(struct mcp *mcp, struct text name)
{
    struct call *call = &mcp->http->call;
    struct mcp_choice choice = mcp->choice;
    if (name.size > TOOL_NAME_MAX_BYTES || strlen(name.bytes) != name.size ||
        catalog_find(call->gateway->catalog, name) ||
        (!mcp->facts.scopes && !call_ask_token(call, &mcp->facts)))
        return NULL;
    pthread_rwlock_rdlock(&call->gateway->limits_lock);
    mcp_tools_cut(call->gateway->mcp_tools, &mcp->facts, &choice);
    const char *nearest = mcp_tools_nearest(call->gateway->mcp_tools, &choice, name.bytes);
    pthread_rwlock_unlock(&call->gateway->limits_lock);
    return nearest;
}

/* An invisible tool is unknown. Its name is echoed only if it could be a tool's name. */
static bool reject_unknown_tool(struct mcp *mcp)
{
    struct text name = mcp->message.value[PARAMS_NAME].text;
    const char *nearest = find_nearest(mcp, name);
    bool is_name = name.size <= TOOL_NAME_MAX_BYTES &&
                   text_is_made_of(name, "abcdefghijklmnopqrstuvwxyz0123456789-");
    scoped(mem_free) char *why = str_format(
        "Unknown tool%s%.*s%s%s%s", is_name ? ": " : "", is_name ? (int)name.size : 0, name.bytes,
        nearest ? "; did you mean " : "", nearest ? nearest : "", nearest ? "?" : "");
    return reject_tool(mcp, why);
}

static bool find_tool(struct mcp *mcp)
{
    const struct mcp_value *name = &mcp->message.value[PARAMS_NAME];
    const struct mcp_value *arguments = &mcp->message.value[PARAMS_ARGUMENTS];
    struct call *call = &mcp->http->call;
    if (name->kind != JSON_STRING)
        return reject_tool(mcp, "name must be a text");
    pthread_rwlock_rdlock(&call->gateway->limits_lock);
    const struct offer *offer = mcp_tools_find(call->gateway->mcp_tools, &mcp->choice, name->text);
    pthread_rwlock_unlock(&call->gateway->limits_lock);
    if (!offer)
        return reject_unknown_tool(mcp);
    if (arguments->kind != JSON_OBJECT_OPEN && arguments->kind != JSON_END &&
        arguments->kind != JSON_NULL)
        return reject_tool(mcp, "arguments must be an object");
    call->offer = offer;
    call->body = arguments->kind == JSON_OBJECT_OPEN ? arguments->raw : TEXT("{}");
    return true;
}

/* The key is in the message or in a header: many hosts can write only one of them. */
static bool read_key(struct mcp *mcp)
{
    const struct mcp_value *key = &mcp->message.value[META_KEY];
    struct call *call = &mcp->http->call;
    bool is_text = key->kind == JSON_STRING && strlen(key->text.bytes) == key->text.size;
    if (key->kind != JSON_END && !is_text)
        return call_refuse(call, ERR_INVALID_IDEMPOTENCY_KEY,
                           "tollgate/idempotency-key must be a string");
    if (is_text && call->key && strcmp(call->key, key->text.bytes) != 0)
        return call_refuse(call, ERR_INVALID_IDEMPOTENCY_KEY,
                           "tollgate/idempotency-key and the header Idempotency-Key differ");
    if (is_text)
        call->key = key->text.bytes;
    return request_check_key(mcp->http);
}

static void read_trace(struct mcp *mcp)
{
    const char *parent = mcp_message_text(&mcp->message, META_TRACE);
    if (parent && !http_header(mcp->http->request, "traceparent"))
        trace_continue(&mcp->http->trace, parent);
}

static size_t wrapped_bytes(const struct call *call)
{
    struct result_answer answer = { call->offer->contract, buf_str(call->answer_headers),
                                    buf_text(call->answer) };
    return ANSWER_AROUND_BYTES + result_max_bytes(&answer);
}

/* For invalid arguments: errors of token and scope replace theirs. */
static bool replace_by_scope_error(struct mcp *mcp)
{
    struct call *call = &mcp->http->call;
    const struct offer *offer = call->offer;
    if (!call_ask_token(call, &mcp->facts) ||
        token_facts_allow(&mcp->facts, offer->name, offer->group))
        return false;
    call->errs.count = 0;
    return call_refuse(call, ERR_SCOPE_DENIED, err_code(ERR_SCOPE_DENIED));
}

/* Many hosts write numbers and lists as strings, and send optional properties empty. */
static bool check_values(struct mcp *mcp)
{
    struct call *call = &mcp->http->call;
    const struct contract *contract = call->offer->contract;
    struct errs errs = { 0 };
    if (contract_check(contract, call->body, NULL, &mcp->http->unknown, &call->errs))
        return true;
    bool ok = arguments_adjust(contract, call->body, &mcp->arguments, &mcp->told) &&
              contract_check(contract, buf_text(&mcp->arguments), NULL, NULL, &errs);
    if (!ok) { /* the errors of what was sent */
        buf_clear(&mcp->told);
        return false;
    }
    call->errs.count = 0;
    call->body = buf_text(&mcp->arguments);
    return true;
}

/* Models correct a wrong name after an error, so unknown arguments are errors, unless the URL says
 * otherwise. What hosts themselves add to each call is neither. */
static bool check_arguments(struct mcp *mcp)
{
    struct http_call *http = mcp->http;
    const struct gateway *gateway = http->call.gateway;
    http->unknown.allowed = gateway->ignored_arguments;
    http->unknown.allowed_count = gateway->ignored_argument_count;
    bool ok = check_values(mcp);
    return http->unknown.total == 0 || mcp->choice.ignores_unknown
               ? ok
               : unknown_fields_reject(&http->unknown, &http->call.errs);
}

static bool buy(struct mcp *mcp)
{
    struct call *call = &mcp->http->call;
    call->answer_headers = &mcp->result_headers;
    call->answer = &mcp->result;
    call->wrapped_bytes = wrapped_bytes;
    if (!check_arguments(mcp) || !read_key(mcp))
        return replace_by_scope_error(mcp);
    read_trace(mcp);
    progress_offer(mcp);
    return call_buy(call);
}

/* The tool account-credits: GET account/credits for models. */
static bool serve_credits(struct mcp *mcp)
{
    struct call *call = &mcp->http->call;
    if (!call_count(call) || !call_ask_token(call, &mcp->facts))
        return false;
    scoped(json_free) cJSON *result = json_object();
    json_int(result, "credits", call->snapshot.posted - call->snapshot.held);
    json_time(result, "as_of", clock_wall_ms());
    credits_add_caps(json_map(result, "token"), &mcp->facts);
    json_print(result, &mcp->result);
    envelope_headers(&mcp->result_headers);
    envelope_result(&mcp->result);
    return true;
}

/* Errors of token and account belong to the request; all others are results for the model. */
static bool is_request_error(enum err_kind kind)
{
    return err_status(kind) == 403 && kind != ERR_SCOPE_DENIED && kind != ERR_SPENDING_CAP_TOTAL;
}

static bool call_tool(struct mcp *mcp)
{
    struct call *call = &mcp->http->call;
    bool ok = call->offer->contract ? buy(mcp) : serve_credits(mcp);
    if (ok) {
        answer_result(mcp);
        return true;
    }
    enum err_kind kind = call->errs.item[0].kind;
    if (is_request_error(kind) && !mcp->http->response->has_begun)
        return false;
    if (kind == ERR_SCOPE_DENIED && call->offer->contract)
        reject_unknown_tool(mcp);
    else
        answer_error(mcp);
    return true;
}

/* ---- one message ---- */

/* For a request that fails anyway. */
static bool check_token(struct mcp *mcp)
{
    struct call *call = &mcp->http->call;
    call_put_token_first(call);
    return call->errs.count == 0;
}

/* For free methods. tools/call is checked by its admission. */
static bool query_token(struct mcp *mcp)
{
    return call_ask_token(&mcp->http->call, &mcp->facts);
}

static const struct method {
    const char *name;
    bool is_modern;
    bool is_legacy;
    void (*serve)(struct mcp *mcp); /* NULL: tools/call */
} methods[] = {
    { "initialize", false, true, serve_initialize },
    { "ping", false, true, answer_ping },
    { "server/discover", true, false, answer_discover },
    { "tools/list", true, true, tell_tools },
    { "tools/call", true, true, NULL },
};

static const struct method *find_method(struct mcp *mcp)
{
    const struct method *method =
        TABLE_FIND(methods, mcp_message_text(&mcp->message, MESSAGE_METHOD));
    if (method)
        mcp->http->mcp.method = method->name;
    if (method && (mcp->is_modern ? method->is_modern : method->is_legacy))
        return method;
    rpc_fault_set(&mcp->fault, RPC_UNKNOWN_METHOD, mcp->is_modern ? 404 : 200,
                  "this method is not supported");
    return NULL;
}

/* The method to serve; NULL: see the fault. */
static const struct method *choose_method(struct mcp *mcp)
{
    struct era_headers headers = read_headers(mcp->http);
    mcp->is_modern = era_is_modern(&mcp->message, &headers);
    mcp->http->mcp.era = mcp->is_modern ? "modern" : "legacy";
    copy_client_name(mcp);
    if (mcp->is_modern && !era_check(&mcp->message, &headers, &mcp->fault))
        return NULL;
    const struct method *method = find_method(mcp);
    if (method && !method->serve && !find_tool(mcp))
        return NULL;
    return method;
}

/* True: served, or mcp->fault is the response. False: call.errs is. */
static bool serve_message(struct mcp *mcp)
{
    struct http_call *http = mcp->http;
    if (!request_check_body(http) || !read_message(mcp))
        return check_token(mcp) && mcp->fault.code != 0;
    if (mcp->message.is_notification) {
        http->response->status = 202;
        return query_token(mcp);
    }
    const struct method *method = choose_method(mcp);
    if (method && !method->serve)
        return call_tool(mcp);
    if (!method)
        return check_token(mcp);
    if (!query_token(mcp))
        return false;
    method->serve(mcp);
    return http->call.errs.count == 0;
}

/* Set the values of headers, logs and metrics. */
static void finish_message(struct mcp *mcp, bool ok)
{
    struct http_call *http = mcp->http;
    if (ok && mcp->fault.code != 0)
        answer_fault(mcp);
    progress_end(mcp);
    if (!ok)
        http->mcp.outcome = answer_is_challenge(http) ? "challenged" : "rejected";
    buf_free(&mcp->result_headers);
    buf_free(&mcp->result);
    http->call.body = TEXT("");
    buf_free(&mcp->arguments);
    buf_free(&mcp->told);
    mcp_message_free(&mcp->message);
    token_facts_free(&mcp->facts);
    http->call.answer_headers = &http->response->headers;
    http->call.answer = &http->response->body;
}

/* Hosts probe /mcp with GET and without a token, and must get 401 to learn how to connect. */
static bool check_app(struct http_call *http)
{
    return check_origin(http) && request_require_open(http) && request_read_app(http) &&
           request_require_method(http, "POST");
}

static bool check_caller(struct http_call *http, const struct route_names *names)
{
    return request_require_method(http, "POST") && check_origin(http) &&
           request_read_account(http, names) && request_require_open(http) &&
           request_read_token(http);
}

bool mcp_serve(struct http_call *http, const struct route_names *names)
{
    http->mcp = (struct mcp_trait){ "other", "none", "ok", "" };
    if (http->route == ROUTE_APP_MCP ? !check_app(http) : !check_caller(http, names)) {
        http->mcp.outcome = answer_is_challenge(http) ? "challenged" : "rejected";
        return false;
    }
    struct mcp *mcp = mem_new(sizeof(*mcp));
    *mcp = (struct mcp){ .http = http,
                         .result_headers = BUF(RESULT_HEADERS_MAX_BYTES),
                         .result = BUF(ANSWER_MAX_BYTES),
                         .arguments = BUF(ARGUMENTS_MAX_BYTES),
                         .told = BUF(ARGUMENTS_TOLD_BYTES) };
    bool ok = serve_message(mcp);
    finish_message(mcp, ok);
    mem_free(&mcp);
    return ok;
}
