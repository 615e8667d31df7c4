/* gateway/http/request.c - validates a request, in the order of docs/develop/call-path.md. */
#include "gateway/http/address-window.h"
#include "gateway/http/http-call.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/os/clock.h"
#include "base/os/log.h"
#include "web/forwarded.h"

enum { KEY_MAX_BYTES = 255 /* of an Idempotency-Key */ };

static bool reject_request(struct http_call *http, enum err_kind kind, const char *message)
{
    return call_refuse(&http->call, kind, message);
}

/* The edge should have rejected this request: return an error and close the connection. */
static bool reject_untrusted(struct http_call *http, enum err_kind kind, const char *why)
{
    http->response->closes = true;
    counter_add(http->call.gateway->distrusted, 1);
    log_line(LOG_WARN, "a request that the edge should have rejected", log_str("error", why));
    return reject_request(http, kind, why);
}

/* ---- ids, address, path ---- */

static bool is_printable(const char *text, size_t min, size_t max)
{
    size_t size = strlen(text);
    for (const char *at = text; *at; at++)
        if (*at <= ' ' || *at > '~')
            return false;
    return size >= min && size <= max;
}

/* An id may be echoed and logged; a token may not. */
static bool is_request_id(const char *text)
{
    return is_printable(text, 1, REQUEST_ID_MAX_BYTES) && !strpbrk(text, "\"\\") &&
           !log_holds_secret(text);
}

void request_begin(struct http_call *http, struct gateway *gateway)
{
    struct call *call = &http->call;
    const char *client_id = http_header(http->request, "X-Request-Id");
    char own[UUID_TEXT_BYTES];

    call_begin(call, gateway);
    uuid_format(own, &call->id);
    snprintf(http->request_id, sizeof(http->request_id), "%s",
             client_id && is_request_id(client_id) ? client_id : own);
    trace_continue(&http->trace, http_header(http->request, "traceparent"));
    call->request_id = http->request_id;
    call->traceparent = http->trace.parent;
    call->key = http_header(http->request, "Idempotency-Key");
    call->answer_headers = &http->response->headers;
    call->answer = &http->response->body;
    call->reservation = &http->response->reservation;
}

bool request_arrive(struct http_call *http)
{
    const struct http_request *request = http->request;
    struct forwarded from;
    struct err err = { 0 };
    http->call.address = request->peer;
    if (!forwarded_read(request, &http->call.gateway->trusted_proxies, &from, &err))
        return reject_untrusted(http, err.kind, err.message);
    http->call.address = from.address;
    if (!from.is_https)
        return reject_request(
            http, ERR_HTTPS_REQUIRED,
            "this API is served over HTTPS only; replace the token if it was sent in "
            "the clear");
    if (request->is_body_cut)
        return reject_request(
            http, ERR_BAD_REQUEST,
            "the body is shorter than its Content-Length, or its chunks are incomplete");
    return true;
}

/* Two different values of such a header would be read as two different requests. The last are of
 * MCP. */
bool request_check_headers(struct http_call *http)
{
    static const char *const names[] = { "Authorization", "Content-Type",         "Idempotency-Key",
                                         "Origin",        "MCP-Protocol-Version", "Mcp-Method",
                                         "Mcp-Name" };
    size_t count = route_is_mcp(http->route) ? countof(names) : 3;
    for (size_t i = 0; i < count; i++)
        if (http_header_differs(http->request, names[i]))
            return errs_add(&http->call.errs, ERR_BAD_REQUEST,
                            "the header %s appears twice with different values; send one",
                            names[i]);
    return true;
}

bool request_pass_address(struct http_call *http)
{
    struct gateway *gateway = http->call.gateway;
    if (cidrs_have(&gateway->unlimited_addresses, &http->call.address))
        return true;
    pthread_rwlock_rdlock(&gateway->limits_lock);
    unsigned limit = gateway->limits->address_per_minute;
    pthread_rwlock_unlock(&gateway->limits_lock);
    struct address_verdict verdict =
        address_window_admit(gateway->window, &http->call.address, limit);
    http->counted_ms = verdict.counted_ms;
    if (verdict.admitted)
        return true;
    http->call.retry_ms = verdict.retry_after_ms;
    return errs_add(&http->call.errs, ERR_RATE_LIMITED_IP,
                    "the limit is %u requests a minute from one address; retry in %d seconds",
                    limit, (int)((verdict.retry_after_ms + 999) / 1000));
}

void request_return_address(struct http_call *http)
{
    struct call *call = &http->call;
    const struct plan_numbers *plan = &call->snapshot.plan;
    if (http->counted_ms > 0 && call->is_admitted && plan->id > 0 && plan->is_address_exempt > 0)
        address_window_return(call->gateway->window, &http->call.address, http->counted_ms);
}

bool request_require_method(struct http_call *http, const char *method)
{
    if (strcmp(http->request->method, method) == 0)
        return true;
    http->allow = method;
    return errs_add(&http->call.errs, ERR_METHOD_NOT_ALLOWED, "this endpoint accepts only %s",
                    method);
}

static bool reject_tool(struct http_call *http, struct text name)
{
    const char *meant = catalog_nearest(http->call.gateway->catalog, name);
    return meant ? errs_add(&http->call.errs, ERR_TOOL_NOT_FOUND,
                            "unknown tool; see /openapi.json; did you mean %s?", meant)
                 : reject_request(http, ERR_TOOL_NOT_FOUND, "unknown tool; see /openapi.json");
}

bool request_find_offer(struct http_call *http, const struct route_names *names)
{
    struct call *call = &http->call;
    const struct catalog *catalog = call->gateway->catalog;
    if (http->route == ROUTE_NONE)
        return reject_request(http, ERR_NOT_FOUND, "unknown path; see /openapi.json");
    call->offer = names->tool.bytes ? catalog_find(catalog, names->tool) : &catalog->credits;
    if (!call->offer)
        return reject_tool(http, names->tool);
    bool is_post =
        call->offer->contract && (!call->offer->contract->is_get || http->route == ROUTE_DRY_RUN);
    return request_require_method(http, is_post ? "POST" : "GET") &&
           request_read_account(http, names);
}

bool request_read_account(struct http_call *http, const struct route_names *names)
{
    http->has_account = uuid_parse(names->account, &http->call.account);
    return http->has_account ||
           reject_request(http, ERR_INVALID_ACCOUNT_ID,
                          "the account in the path must be a UUID of the form 8-4-4-4-12");
}

bool request_require_open(struct http_call *http)
{
    return !http->call.gateway->is_closing ||
           reject_request(http, ERR_DRAINING,
                          "this server is shutting down; nothing was charged, please retry");
}

bool request_find_tokens(struct http_call *http, const struct route_names *names)
{
    bool reads = http->route == ROUTE_TOKENS || http->route == ROUTE_ONE_TOKEN;
    const char *method = http->request->method;
    http->call.offer = &http->call.gateway->catalog->balance;
    if (strcmp(method, "POST") != 0 && !(reads && strcmp(method, "GET") == 0)) {
        http->allow = reads ? "GET, POST" : "POST";
        return errs_add(&http->call.errs, ERR_METHOD_NOT_ALLOWED, "this endpoint accepts only %s",
                        http->allow);
    }
    return request_read_account(http, names);
}

/* The form of a token says what it is for; the database also checks that. An invalid token gets the
 * error that it gets everywhere. */
static bool check_purpose(struct http_call *http)
{
    bool is_tokens = route_is_tokens(http->route);
    if (http->is_management ? is_tokens || route_scope(http->route) : !is_tokens)
        return true;
    reject_request(http, ERR_SCOPE_DENIED,
                   http->is_management
                       ? "this is a management token, which calls no tool; use an API token"
                       : "only a management token may do this; create one in the portal");
    call_put_token_first(&http->call);
    return false;
}

bool request_read_token(struct http_call *http)
{
    struct err err = { 0 };
    http->has_token = token_of_bearer(http_header(http->request, "Authorization"), http->call.token,
                                      &http->is_management, &err);
    return http->has_token ? check_purpose(http) : errs_add_err(&http->call.errs, &err);
}

bool request_read_app(struct http_call *http)
{
    struct err err = { 0 };
    struct call *call = &http->call;
    http->has_account = token_of_bearer_app(http_header(http->request, "Authorization"),
                                            &call->account, call->token, &err);
    http->has_token = http->has_account;
    return http->has_account || errs_add_err(&call->errs, &err);
}

/* ---- the body ---- */

/* "application/json", optionally with charset=utf-8: RFC 8259 section 11 defines no parameter, but
 * clients send this one. */
static bool is_json_type(const char *type)
{
    size_t length = strcspn(type, ";");
    while (length > 0 && type[length - 1] == ' ')
        length--;
    if (length != strlen("application/json") || strncasecmp(type, "application/json", length) != 0)
        return false;
    const char *parameter = strchr(type, ';');
    if (!parameter)
        return true;
    parameter += 1 + strspn(parameter + 1, " ");
    return strcasecmp(parameter, "charset=utf-8") == 0 ||
           strcasecmp(parameter, "charset=\"utf-8\"") == 0 || *parameter == '\0';
}

static bool check_media_type(struct http_call *http)
{
    const char *type = http_header(http->request, "Content-Type");
    if (!type || !is_json_type(type))
        return reject_request(http, ERR_UNSUPPORTED_MEDIA_TYPE,
                              "Content-Type must be application/json, in UTF-8");
    if (http_header(http->request, "Content-Encoding"))
        return reject_request(http, ERR_UNSUPPORTED_MEDIA_TYPE,
                              "Content-Encoding is not supported; send the body uncompressed");
    return true;
}

static bool check_query(struct http_call *http)
{
    struct err err = { 0 };
    http->query = (struct buf)BUF(2 * BODY_MAX_BYTES);
    if (!contract_query(http->call.offer->contract, http->request->query, &http->query,
                        &http->unknown, &err))
        return errs_add_err(&http->call.errs, &err);
    http->call.body = buf_text(&http->query);
    return true;
}

bool request_check_body(struct http_call *http)
{
    if (!check_media_type(http))
        return false;
    if (http->request->is_body_too_large)
        return errs_add(&http->call.errs, ERR_BODY_TOO_LARGE,
                        "the request body must have at most %d bytes; if the tool takes a url, "
                        "send that instead",
                        BODY_MAX_BYTES);
    http->call.body = http->request->body;
    return true;
}

/* An opaque string, or a quoted one: a structured field of the Idempotency-Key draft. */
bool request_check_key(struct http_call *http)
{
    const char *key = http->call.key;
    return !key || is_printable(key, 1, KEY_MAX_BYTES) ||
           errs_add(&http->call.errs, ERR_INVALID_IDEMPOTENCY_KEY,
                    "Idempotency-Key must be 1 to %d printable ASCII characters without spaces",
                    KEY_MAX_BYTES);
}

/* ---- unknown fields ---- */

static enum handling read_preference(struct http_call *http)
{
    http->preference = prefer_handling(http_header(http->request, "Prefer"));
    return http->preference;
}

/* The token is read only if it decides. If it cannot be read, unknown fields are ignored; the
 * admission of the call rejects an invalid one. */
static enum handling find_handling(struct http_call *http)
{
    scoped(token_facts_free) struct token_facts facts = { 0 };
    struct call *call = &http->call;
    struct err err = { 0 };
    if (read_preference(http) != HANDLING_UNSET)
        return http->preference;
    return ledger_ask_token(call->gateway->ledger, &call->account, call->token, &call->address,
                            &call->snapshot.token, &facts, &err) &&
                   facts.is_strict
               ? HANDLING_STRICT
               : HANDLING_LENIENT;
}

/* ok: the request is valid otherwise. */
static bool check_unknown(struct http_call *http, enum handling handling, bool ok)
{
    bool is_refused =
        handling == HANDLING_STRICT || (handling == HANDLING_UNSET && http->route == ROUTE_DRY_RUN);
    http->has_ignored = !is_refused;
    return is_refused ? unknown_fields_reject(&http->unknown, &http->call.errs) : ok;
}

bool request_check(struct http_call *http)
{
    const struct contract *contract = http->call.offer->contract;
    if (!contract)
        return true;
    bool ok = (contract->is_get ? check_query(http) : request_check_body(http)) &&
              request_check_key(http) &&
              contract_check(contract, http->call.body, NULL, &http->unknown, &http->call.errs);
    return http->unknown.total == 0 ? ok : check_unknown(http, find_handling(http), ok);
}

bool request_check_dry(struct http_call *http)
{
    const struct contract *contract = http->call.offer->contract;
    bool ok = request_check_body(http) && contract_check(contract, http->call.body, &http->settled,
                                                         &http->unknown, &http->call.errs);
    enum handling handling = read_preference(http);
    return http->unknown.total == 0 ? ok : check_unknown(http, handling, ok);
}
