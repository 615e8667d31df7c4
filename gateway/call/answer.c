/* gateway/call/answer.c - what a call is answered: sentences, headers, the log. */
#include "gateway/call/state.h"

#include <stdio.h>
#include <string.h>

#include "base/num.h"
#include "base/os/clock.h"
#include "base/os/log.h"
#include "gateway/call/call.h"
#include "gateway/call/envelope.h"

enum { RETRY_SOON_MS = 1000 /* Retry-After of a 503 */ };

/* ---- refusals of the ledger ---- */

/* The sentence of a refusal by the account's state. */
static void say_why(struct call *call, enum err_kind kind)
{
    const char *tool = call->offer->name;
    int64_t seconds = (call->retry_ms + 999) / 1000;
    struct standing *standing = &call->standing;
    char message[ERR_MESSAGE_BYTES] = "";

    switch ((int)kind) {
    case ERR_INSUFFICIENT_CREDITS:
        snprintf(message, sizeof(message),
                 "this call costs %d credits and the balance is %d; buy more at %s",
                 (int)call->offer->contract->credits, (int)(standing->posted - standing->held),
                 call->gateway->buy_url);
        break;
    case ERR_RATE_LIMITED_ENDPOINT:
        snprintf(message, sizeof(message),
                 "at most %u calls of %s a minute; try again in %d seconds",
                 call->limits.endpoint_per_minute, tool, (int)seconds);
        break;
    case ERR_RATE_LIMITED_CLASS:
        snprintf(message, sizeof(message),
                 "at most %u calls a minute of %s and its like together; try again in %d seconds",
                 call->limits.class_per_minute, tool, (int)seconds);
        break;
    case ERR_RATE_LIMITED_GLOBAL:
        snprintf(message, sizeof(message),
                 "at most %u calls a minute of all tools together; try again in %d seconds",
                 call->global_limit, (int)seconds);
        break;
    case ERR_DAILY_QUOTA_EXCEEDED:
        snprintf(message, sizeof(message), "at most %u calls of %s a day (UTC)",
                 call->limits.daily_per_tool, tool);
        break;
    case ERR_IDEMPOTENCY_IN_PROGRESS:
        snprintf(message, sizeof(message),
                 "a call with this Idempotency-Key is still running; try again in %d seconds",
                 (int)seconds);
        break;
    case ERR_IDEMPOTENCY_MISMATCH:
        snprintf(message, sizeof(message),
                 "this Idempotency-Key was used for another request; take a new one");
        break;
    default:
        break;
    }
    if (message[0])
        call_refuse(call, kind, message);
}

/* What the token's and the account's refusals say, whoever finds them. */
static const char *who_message(enum err_kind kind)
{
    static const struct {
        enum err_kind kind;
        const char *message;
    } rows[] = {
        { ERR_AUTH_INVALID, "the bearer token is not one of this account" },
        { ERR_AUTH_EXPIRED, "the bearer token has expired; create a new one" },
        { ERR_AUTH_REVOKED, "the bearer token was revoked" },
        { ERR_ACCOUNT_SUSPENDED, "API access of this account is suspended" },
        { ERR_ACCOUNT_CLOSED, "this account is closed" },
        { ERR_SCOPE_DENIED, "the bearer token's scopes do not include this tool" },
        { ERR_DEADLINE_EXCEEDED, "the call took too long to be admitted; nothing was charged" },
        { ERR_INTERNAL, "an internal error; nothing was charged" },
    };
    for (size_t i = 0; i < countof(rows); i++)
        if (rows[i].kind == kind)
            return rows[i].message;
    return NULL;
}

bool call_explain(struct call *call, const struct err *err)
{
    size_t before = call->errs.count;
    const char *message = who_message(err->kind);
    call->retry_ms = call->standing.retry_ms;
    if (message)
        return call_refuse(call, err->kind, message);
    say_why(call, err->kind);
    return call->errs.count > before ? false : errs_add_err(&call->errs, err);
}

/* ---- the answer ---- */

void call_answer_errors(struct call *call)
{
    struct http_response *response = call->response;
    enum err_kind kind = call->errs.item[0].kind;

    buf_clear(&response->headers);
    buf_clear(&response->body);
    response->status = err_status(kind);
    if (response->status == 503 && call->retry_ms < 0)
        call->retry_ms = RETRY_SOON_MS;
    envelope_headers(&response->headers);
    if (kind == ERR_AUTH_MISSING || kind == ERR_AUTH_MALFORMED || kind == ERR_AUTH_INVALID)
        buf_add_str(&response->headers, "WWW-Authenticate: Bearer\r\n");
    if (call->allow)
        buf_format(&response->headers, "Allow: %s\r\n", call->allow);
    if (call->retry_ms >= 0)
        buf_format(&response->headers, "Retry-After: %d\r\n",
                   (int)MAX((call->retry_ms + 999) / 1000, (int64_t)1));
    envelope_errors(&response->body, &call->errs);
}

void call_write_error(int status, struct http_response *response)
{
    struct errs errs = { 0 };
    errs_add(&errs, status < 500 ? ERR_BAD_REQUEST : ERR_INTERNAL,
             status < 500 ? "the request is malformed" : "an internal error");
    envelope_headers(&response->headers);
    envelope_errors(&response->body, &errs);
}

/* Headers of every answer about an account. */
static void add_account_headers(struct call *call)
{
    struct buf *headers = &call->response->headers;
    const struct standing *standing = &call->standing;
    const struct wire_reply *reply = &call->reply.header;

    buf_format(headers, "X-Credits-Charged: %d\r\n", (int)call->charged);
    if (standing->posted >= 0)
        buf_format(headers, "X-Credits-Remaining: %lld\r\n",
                   (long long)(standing->posted - standing->held));
    if (standing->window_limit >= 0)
        buf_format(headers,
                   "X-RateLimit-Limit: %d\r\nX-RateLimit-Remaining: %d\r\n"
                   "X-RateLimit-Reset: %d\r\n",
                   (int)standing->window_limit, (int)standing->window_left,
                   (int)((standing->reset_ms + 999) / 1000));
    if (call->is_replayed)
        buf_add_str(headers, "Idempotency-Replayed: true\r\n");
    buf_format(headers,
               "Server-Timing: ledger;dur=%.1f, queue;dur=%.1f, tool;dur=%.3f, "
               "total;dur=%.1f\r\n",
               (double)call->ledger_us / 1e3, (double)(call->reply.wait_us + reply->queue_us) / 1e3,
               reply->run_us / 1e3, (double)(clock_us() - call->started_us) / 1e3);
}

static void write_log(const struct call *call, int64_t total_us)
{
    char account[UUID_TEXT_BYTES] = "";
    char id[UUID_TEXT_BYTES];
    if (call->has_account)
        uuid_format(account, &call->account);
    uuid_format(id, &call->id);
    log_line(LOG_INFO, "request", log_str("id", id), log_str("request_id", call->request_id),
             log_str("trace_id", call->trace.id), log_str("account", account),
             log_str("route", call->offer ? call->offer->name : "none"),
             log_int("status", call->response->status),
             log_str("code", call->errs.count > 0 ? err_code(call->errs.item[0].kind) : ""),
             log_int("credits", call->charged), log_int("us", total_us),
             log_int("bytes", (int64_t)call->response->body.size));
}

static void count(const struct call *call, int64_t total_us)
{
    struct gateway *gateway = call->gateway;
    counter_add(gateway->responses[call->response->status / 100 % STATUS_CLASSES], 1);
    if (!call->offer || !call->offer->contract)
        return;
    const struct tool_metrics *metrics =
        &gateway->tool_metrics[call->offer - gateway->catalog->offers];
    histogram_add(metrics->seconds, total_us);
    counter_add(metrics->credits, (uint64_t)call->charged);
}

void call_finish(struct call *call)
{
    struct buf *headers = &call->response->headers;
    if (call->offer)
        add_account_headers(call);
    buf_format(headers, "X-Request-Id: %s\r\ntraceparent: %s\r\n", call->request_id,
               call->trace.parent);
    if (call->gateway->is_draining)
        call->response->closes = true;
    int64_t total_us = clock_us() - call->started_us;
    count(call, total_us);
    write_log(call, total_us);
    dispatch_reply_free(&call->reply);
    kept_answer_free(&call->kept);
    if (call->query.bytes)
        explicit_bzero(call->query.bytes, call->query.size);
    buf_free(&call->query);
}
