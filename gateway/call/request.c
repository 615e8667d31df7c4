/* gateway/call/request.c - is this a request we serve? In the order of docs/architecture.md. */
#include "gateway/call/state.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/os/clock.h"
#include "base/os/log.h"

enum { KEY_MAX_BYTES = 255 /* of an Idempotency-Key */ };

bool call_refuse(struct call *call, enum err_kind kind, const char *message)
{
    return errs_add(&call->errs, kind, "%s", message);
}

/* The edge lets no such request through: say so, and that nothing more is read from it here. */
static bool distrust(struct call *call, enum err_kind kind, const char *why)
{
    call->response->closes = true;
    counter_add(call->gateway->distrusted, 1);
    log_line(LOG_WARN, "a request that the edge should have refused", log_str("why", why));
    return call_refuse(call, kind, why);
}

/* ---- who and where ---- */

static bool is_printable(const char *text, size_t min, size_t max)
{
    size_t size = strlen(text);
    for (const char *at = text; *at; at++)
        if (*at <= ' ' || *at > '~')
            return false;
    return size >= min && size <= max;
}

static bool is_request_id(const char *text)
{
    return is_printable(text, 1, REQUEST_ID_MAX_BYTES) && !strpbrk(text, "\"\\");
}

void call_begin(struct call *call)
{
    const char *client_id = http_header(call->request, "X-Request-Id");
    char own[UUID_TEXT_BYTES];

    call->started_us = clock_us();
    call->id = uuid_new();
    call->retry_ms = -1;
    call->standing = NO_STANDING;
    uuid_format(own, &call->id);
    snprintf(call->request_id, sizeof(call->request_id), "%s",
             client_id && is_request_id(client_id) ? client_id : own);
    trace_continue(&call->trace, http_header(call->request, "traceparent"));
}

/* The edge tells whose request it passes on; nobody else is believed. It writes these fields behind
 * all others, so a request without them is none of its: what another one left on the connection. */
static bool read_forwarded(struct call *call, const char **scheme)
{
    const char *address = http_header(call->request, "X-Forwarded-For");
    *scheme = http_header(call->request, "X-Forwarded-Proto");
    if (address && *scheme && address_parse(text_of(address), &call->address) &&
        !http_header_differs(call->request, "X-Forwarded-For") &&
        !http_header_differs(call->request, "X-Forwarded-Proto"))
        return true;
    return distrust(call, ERR_BAD_REQUEST,
                    "X-Forwarded-For and X-Forwarded-Proto are not those of the edge");
}

bool call_arrive(struct call *call)
{
    const struct http_request *request = call->request;
    const char *scheme = "";
    call->address = request->peer;
    if (request->fault.kind != ERR_NONE)
        return distrust(call, request->fault.kind, request->fault.message);
    if (cidrs_have(&call->gateway->trusted_proxies, &request->peer) &&
        !read_forwarded(call, &scheme))
        return false;
    if (strcmp(scheme, "https") != 0)
        return call_refuse(
            call, ERR_HTTPS_REQUIRED,
            "this API is served over HTTPS only; replace the token if it was sent in "
            "the clear");
    if (request->is_body_cut)
        return call_refuse(call, ERR_BAD_REQUEST, "the body does not end where its head says");
    return true;
}

/* Two of these that differ are two requests, to two readers. */
bool call_check_headers(struct call *call)
{
    static const char *const names[] = { "Authorization", "Content-Type", "Idempotency-Key" };
    for (size_t i = 0; i < countof(names); i++)
        if (http_header_differs(call->request, names[i]))
            return errs_add(&call->errs, ERR_BAD_REQUEST,
                            "the request has two headers %s with different values; send one",
                            names[i]);
    return true;
}

bool call_pass_address(struct call *call)
{
    struct gateway *gateway = call->gateway;
    if (cidrs_have(&gateway->unlimited_addresses, &call->address))
        return true;
    pthread_rwlock_rdlock(&gateway->limits_lock);
    unsigned limit = gateway->limits->address_per_minute;
    pthread_rwlock_unlock(&gateway->limits_lock);
    struct window_verdict verdict = window_admit(gateway->window, &call->address, limit);
    if (verdict.admitted)
        return true;
    call->retry_ms = verdict.retry_after_ms;
    return errs_add(&call->errs, ERR_RATE_LIMITED_IP,
                    "at most %u requests a minute from one address; try again in %d seconds", limit,
                    (int)((verdict.retry_after_ms + 999) / 1000));
}

bool call_require_method(struct call *call, const char *method)
{
    if (strcmp(call->request->method, method) == 0)
        return true;
    call->allow = method;
    return errs_add(&call->errs, ERR_METHOD_NOT_ALLOWED, "this endpoint takes %s only", method);
}

static bool skip(const char **at, const char *expected)
{
    size_t size = strlen(expected);
    if (strncmp(*at, expected, size) != 0)
        return false;
    *at += size;
    return true;
}

/* /v1/client/{auuid}/tools/{tool} or /v1/client/{auuid}/account/credits */
bool call_route(struct call *call)
{
    const struct catalog *catalog = call->gateway->catalog;
    const char *at = call->request->path;
    if (!skip(&at, "/v1/client/"))
        return call_refuse(call, ERR_NOT_FOUND, "there is nothing at this path; see /openapi.json");
    struct text account = { at, strcspn(at, "/") };
    at += account.size;
    if (skip(&at, "/tools/")) {
        call->offer = catalog_find(catalog, text_of(at));
        if (!call->offer)
            return call_refuse(call, ERR_TOOL_NOT_FOUND,
                               "there is no such tool; see /openapi.json");
    } else if (strcmp(at, "/account/credits") == 0) {
        call->offer = &catalog->credits;
    } else {
        return call_refuse(call, ERR_NOT_FOUND, "there is nothing at this path; see /openapi.json");
    }
    bool is_post = call->offer->contract && !call->offer->contract->is_get;
    if (!call_require_method(call, is_post ? "POST" : "GET"))
        return false;
    call->has_account = uuid_parse(account, &call->account);
    if (!call->has_account)
        return call_refuse(call, ERR_INVALID_ACCOUNT_ID,
                           "the account in the path is not a UUID of the form 8-4-4-4-12");
    return true;
}

bool call_read_token(struct call *call)
{
    struct err err = { 0 };
    return auth_parse(http_header(call->request, "Authorization"), call->token, &err) ||
           errs_add_err(&call->errs, &err);
}

/* ---- the request itself ---- */

/* "application/json", optionally with charset=utf-8 (RFC 8259 section 11 defines no parameter, but
 * clients send this one). */
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

static bool check_media_type(struct call *call)
{
    const char *type = http_header(call->request, "Content-Type");
    if (!type || !is_json_type(type))
        return call_refuse(call, ERR_UNSUPPORTED_MEDIA_TYPE,
                           "the request needs Content-Type: application/json, in UTF-8");
    if (http_header(call->request, "Content-Encoding"))
        return call_refuse(call, ERR_UNSUPPORTED_MEDIA_TYPE,
                           "a Content-Encoding is not supported; send the body as it is");
    return true;
}

static bool check_query(struct call *call)
{
    struct err err = { 0 };
    call->query = (struct buf)BUF(2 * BODY_MAX_BYTES);
    if (!contract_query(call->offer->contract, call->request->query, &call->query, &err))
        return errs_add_err(&call->errs, &err);
    call->body = buf_text(&call->query);
    return true;
}

static bool check_body(struct call *call)
{
    if (!check_media_type(call))
        return false;
    if (call->request->is_body_too_large)
        return errs_add(&call->errs, ERR_BODY_TOO_LARGE, "the request body is larger than %d bytes",
                        BODY_MAX_BYTES);
    call->body = call->request->body;
    return true;
}

/* An opaque string, also in the quotes of the Idempotency-Key draft's structured field. */
static bool check_key(struct call *call)
{
    const char *key = http_header(call->request, "Idempotency-Key");
    return !key || is_printable(key, 1, KEY_MAX_BYTES) ||
           errs_add(&call->errs, ERR_INVALID_IDEMPOTENCY_KEY,
                    "Idempotency-Key must be 1 to %d printable ASCII characters without blanks",
                    KEY_MAX_BYTES);
}

bool call_check_request(struct call *call)
{
    const struct contract *contract = call->offer->contract;
    if (!contract)
        return true;
    return (contract->is_get ? check_query(call) : check_body(call)) && check_key(call) &&
           contract_check(contract, call->body, NULL, &call->errs);
}
