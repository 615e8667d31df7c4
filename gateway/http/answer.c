/* gateway/http/answer.c - writes the response: errors, headers, metrics and the log line. */
#include "gateway/http/call-spans.h"
#include "gateway/http/http-call.h"
#include "gateway/http/ignored-fields.h"
#include "gateway/http/request-record.h"

#include <stdio.h>
#include <string.h>

#include "base/num.h"
#include "base/os/clock.h"
#include "base/os/log.h"
#include "gateway/call/envelope.h"

enum { RETRY_SOON_MS = 1000 /* Retry-After of a 503 */ };

void answer_add_retry(struct http_call *http)
{
    struct call *call = &http->call;
    if (err_status(call->errs.item[0].kind) == 503 && call->retry_ms < 0)
        call->retry_ms = RETRY_SOON_MS;
    if (call->retry_ms >= 0)
        buf_format(&http->response->headers, "Retry-After: %d\r\n",
                   (int)MAX((call->retry_ms + 999) / 1000, (int64_t)1));
}

static bool is_token_error(enum err_kind kind)
{
    return kind == ERR_AUTH_MISSING || kind == ERR_AUTH_MALFORMED || kind == ERR_AUTH_INVALID ||
           kind == ERR_AUTH_EXPIRED || kind == ERR_AUTH_REVOKED;
}

bool answer_is_challenge(const struct http_call *http)
{
    const struct errs *errs = &http->call.errs;
    return http->route == ROUTE_APP_MCP && errs->count > 0 && is_token_error(errs->item[0].kind);
}

/* RFC 6750 section 3: the challenge names an error only if the request has a token. */
static void add_challenge(const struct http_call *http, enum err_kind kind, struct buf *headers)
{
    buf_add_str(headers, http->call.gateway->challenge);
    if (kind != ERR_AUTH_MISSING)
        buf_add_str(headers, ", error=\"invalid_token\", error_description=\"the access token is "
                             "malformed, or has expired or was revoked\"");
    buf_add_str(headers, "\r\n");
}

void answer_errors(struct http_call *http, void (*write)(struct buf *out, const struct errs *errs))
{
    struct call *call = &http->call;
    struct http_response *response = http->response;
    enum err_kind kind = call->errs.item[0].kind;

    buf_clear(&response->headers);
    buf_clear(&response->body);
    response->status = answer_is_challenge(http) ? 401 : err_status(kind);
    envelope_headers(&response->headers);
    if (answer_is_challenge(http))
        add_challenge(http, kind, &response->headers);
    else if (kind == ERR_AUTH_MISSING || kind == ERR_AUTH_MALFORMED || kind == ERR_AUTH_INVALID)
        buf_add_str(&response->headers, "WWW-Authenticate: Bearer\r\n");
    if (http->allow)
        buf_format(&response->headers, "Allow: %s\r\n", http->allow);
    answer_add_retry(http);
    write(&response->body, &call->errs);
}

/* The window that has the limit that the ledger returned. If two windows have the same limit, the
 * wider one has at least as many calls, so it is the tighter. */
static const char *window_name(const struct call *call)
{
    int64_t limit = call->snapshot.window_limit;
    if (limit == call->told.global)
        return "global";
    return limit == call->told.of_class ? "class" : "endpoint";
}

/* The same numbers as RateLimit fields (draft-ietf-httpapi-ratelimit-headers-10). The calls left in
 * the day are known only when they are 0. */
static void add_windows(const struct call *call, struct buf *headers)
{
    const struct account_snapshot *snapshot = &call->snapshot;
    unsigned daily = call->told.daily;
    const char *name = window_name(call);
    bool is_over = call->errs.count > 0 && call->errs.item[0].kind == ERR_DAILY_QUOTA_EXCEEDED;
    if (snapshot->window_limit < 0)
        return;
    buf_format(headers, "RateLimit-Policy: \"%s\";q=%d;w=60", name, (int)snapshot->window_limit);
    if (daily > 0)
        buf_format(headers, ", \"daily\";q=%u;w=86400", daily);
    buf_format(headers, "\r\nRateLimit: \"%s\";r=%d;t=%d", name, (int)snapshot->window_left,
               (int)((snapshot->reset_ms + 999) / 1000));
    if (is_over && call->retry_ms >= 0)
        buf_format(headers, ", \"daily\";r=0;t=%d", (int)((call->retry_ms + 999) / 1000));
    buf_add_str(headers, "\r\n");
}

/* Headers of all responses about an account. */
static void add_account_headers(const struct call *call, struct buf *headers)
{
    const struct account_snapshot *snapshot = &call->snapshot;
    bool is_known = call->errs.count == 0 || call->errs.item[0].kind != ERR_OUTCOME_UNKNOWN;

    if (is_known)
        buf_format(headers, "X-Credits-Charged: %d\r\n", (int)call->charged);
    if (is_known && snapshot->posted >= 0)
        buf_format(headers, "X-Credits-Remaining: %lld\r\n",
                   (long long)(snapshot->posted - snapshot->held));
    if (snapshot->window_limit >= 0)
        buf_format(headers,
                   "X-RateLimit-Limit: %d\r\nX-RateLimit-Remaining: %d\r\n"
                   "X-RateLimit-Reset: %d\r\n",
                   (int)snapshot->window_limit, (int)snapshot->window_left,
                   (int)((snapshot->reset_ms + 999) / 1000));
    add_windows(call, headers);
    if (call->is_replayed)
        buf_add_str(headers, "Idempotency-Replayed: true\r\n");
    buf_format(headers,
               "Server-Timing: ledger;dur=%.1f, queue;dur=%.1f, tool;dur=%.3f, "
               "total;dur=%.1f\r\n",
               (double)call->ledger_us / 1e3, (double)call->queue_us / 1e3,
               (double)call->tool_us / 1e3, (double)(clock_us() - call->started_us) / 1e3);
}

static void write_log(const struct http_call *http, int64_t total_us)
{
    const struct call *call = &http->call;
    char account[UUID_TEXT_BYTES] = "";
    char token[UUID_TEXT_BYTES] = "";
    char id[UUID_TEXT_BYTES];
    if (http->has_account)
        uuid_format(account, &call->account);
    if (!uuid_equal(&call->snapshot.token, &(struct uuid){ 0 }))
        uuid_format(token, &call->snapshot.token);
    uuid_format(id, &call->id);
    log_line(LOG_INFO, "request", log_str("call_id", id), log_str("request_id", call->request_id),
             log_str("trace_id", http->trace.id), log_str("account_id", account),
             log_str("token_id", token), log_str("tool", call->offer ? call->offer->name : NULL),
             log_str("surface", route_is_mcp(http->route) ? "mcp" : "rest"),
             log_str("mcp.method.name", http->mcp.method), log_str("mcp_era", http->mcp.era),
             log_str("mcp_client", http->mcp.method ? http->mcp.client : NULL),
             log_int("http.response.status_code", http->response->status),
             log_str("error.type", call->errs.count > 0 ? err_code(call->errs.item[0].kind) : NULL),
             log_int("credits_charged", call->charged),
             log_int("cost_micros", (int64_t)call->reply.header.cost_micros),
             log_int("duration_us", total_us),
             log_int("http.response.body.size", (int64_t)http->response->body.size));
}

/* Only known words, so that the number of series is bounded. */
static void count_mcp(const struct mcp_trait *trait, struct metrics *metrics)
{
    struct labels labels = { "method",  trait->method ? trait->method : "other",
                             "era",     trait->era ? trait->era : "none",
                             "outcome", trait->outcome ? trait->outcome : "rejected" };
    counter_add(metrics_counter(metrics, "tollgate_mcp_requests_total",
                                "Messages of agents by method, era and outcome", labels),
                1);
}

/* What the call's providers charge, whether it was sold or not. A replay has no cost. */
static void count_cost(const struct call *call, struct metrics *metrics)
{
    const struct wire_reply *reply = &call->reply.header;
    struct labels labels = { "tool", call->offer->name, "currency", reply->cost_currency };
    if (reply->cost_micros == 0)
        return;
    counter_add(metrics_counter(metrics, "tollgate_tool_cost_micros_total",
                                "What providers charge for a tool's calls, in millionths", labels),
                reply->cost_micros);
}

static void count(const struct http_call *http, int64_t total_us)
{
    const struct call *call = &http->call;
    struct gateway *gateway = call->gateway;
    counter_add(gateway->responses[status_class(http->response->status)], 1);
    if (route_is_mcp(http->route))
        count_mcp(&http->mcp, gateway->metrics);
    if (!call->offer || !call->offer->contract)
        return;
    const struct tool_metrics *metrics =
        &gateway->tool_metrics[call->offer - gateway->catalog->offers];
    histogram_add(metrics->seconds, total_us);
    counter_add(metrics->credits, (uint64_t)call->charged);
    count_cost(call, gateway->metrics);
    if (call->errs.count == 0)
        return;
    enum err_kind kind = call->errs.item[0].kind;
    counter_add(gateway->errors[kind], 1);
    counter_add(metrics->failed, err_is_failure(kind));
}

/* Not in a 403, which must not depend on the request, nor in a 5xx. */
static void add_unknown(const struct http_call *http, struct buf *headers)
{
    int status = http->response->status;
    if (http->unknown.total == 0 || status >= 500 || status == 403 || route_is_mcp(http->route))
        return;
    if (http->has_ignored)
        ignored_fields_write(&http->unknown, headers);
    if (http->preference != HANDLING_UNSET)
        buf_format(headers, "Preference-Applied: handling=%s\r\n",
                   http->preference == HANDLING_STRICT ? "strict" : "lenient");
}

void answer_finish(struct http_call *http)
{
    const struct call *call = &http->call;
    struct buf *headers = &http->response->headers;
    if (call->offer)
        add_account_headers(call, headers);
    add_unknown(http, headers);
    request_return_address(http);
    buf_format(headers, "X-Request-Id: %s\r\ntraceparent: %s\r\n", http->request_id,
               http->trace.parent);
    if (call->gateway->is_draining)
        http->response->closes = true;
    int64_t total_us = clock_us() - call->started_us;
    if (http->route != ROUTE_READYZ) { /* which HAProxy requests all the time */
        count(http, total_us);
        write_log(http, total_us);
        request_record_add(http, total_us);
        call_spans_add(http, total_us);
    }
    if (http->query.bytes)
        explicit_bzero(http->query.bytes, http->query.size);
    buf_free(&http->query);
    json_free(&http->settled);
}
