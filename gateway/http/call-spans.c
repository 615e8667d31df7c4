/* gateway/http/call-spans.c - see call-spans.h. */
#include "gateway/http/call-spans.h"

#include <stdio.h>

#include "base/num.h"
#include "base/os/clock.h"
#include "gateway/traces/traces.h"

static bool is_traced(const struct http_call *http)
{
    const struct call *call = &http->call;
    bool is_valid = call->errs.count == 0 || call->errs.item[0].kind != ERR_AUTH_INVALID;
    return is_valid && http->has_account && http->has_token && call->offer &&
           call->offer->contract && traces_sample(call->gateway->traces, http->trace.id);
}

static struct span call_span(const struct http_call *http, int64_t end_us, int64_t total_us)
{
    const struct call *call = &http->call;
    enum err_kind kind = call->errs.count > 0 ? call->errs.item[0].kind : ERR_NONE;
    struct span span = {
        .kind = SPAN_SERVER,
        .name = call->offer->name,
        .start_us = end_us - total_us,
        .end_us = end_us,
        .call = call->id,
        .account = call->account,
        .tool = call->offer->name,
        .error = kind != ERR_NONE ? err_code(kind) : NULL,
        .is_failure = kind != ERR_NONE && err_is_failure(kind),
        .surface = route_is_mcp(http->route) ? "mcp" : "rest",
        .status = http->response->status,
        .credits = call->charged,
        .ledger_us = call->ledger_us,
    };
    snprintf(span.trace, sizeof(span.trace), "%s", http->trace.id);
    snprintf(span.id, sizeof(span.id), "%.16s", http->trace.parent + TRACE_SPAN_AT);
    snprintf(span.parent, sizeof(span.parent), "%s", http->trace.caller);
    return span;
}

static struct span part_of(const struct span *whole, const char *name, int64_t start_us,
                           int64_t duration_us)
{
    struct span part = *whole;
    part.kind = SPAN_INTERNAL;
    part.name = name;
    part.start_us = start_us;
    part.end_us = start_us + duration_us;
    part.error = NULL;
    part.is_failure = false;
    snprintf(part.parent, sizeof(part.parent), "%s", whole->id);
    span_set_id(&part);
    return part;
}

void call_spans_add(const struct http_call *http, int64_t total_us)
{
    const struct call *call = &http->call;
    if (!is_traced(http))
        return;
    int64_t end_us = clock_wall_ms() * 1000;
    struct span spans[3] = { call_span(http, end_us, total_us) };
    size_t count = 1;
    if (call->run_started_us > 0) {
        int64_t run_us = spans[0].start_us + (call->run_started_us - call->started_us);
        spans[count++] = part_of(spans, "queue", run_us, call->queue_us);
        spans[count++] = part_of(spans, "tool", run_us + call->queue_us, call->tool_us);
    }
    traces_add(call->gateway->traces, spans, count);
}
