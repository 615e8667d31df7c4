/* gateway/mcp/progress.c - progress of a long tools/call, as events of one response. */
#include "gateway/mcp/progress.h"

#include <string.h>

#include "base/os/clock.h"

enum { BUDGET_MIN_MS = 20000, EVENT_MAX_BYTES = 1024 };

#define EVENT_BEGIN "event: message\ndata: "
#define EVENT_END   "\n\n"

static bool begin_stream(struct mcp *mcp)
{
    struct http_call *http = mcp->http;
    struct http_response *response = http->response;
    response->status = 200;
    buf_format(&response->headers,
               "Content-Type: text/event-stream\r\n"
               "X-Content-Type-Options: nosniff\r\n"
               "Cache-Control: no-store\r\n"
               "X-Accel-Buffering: no\r\n"
               "X-Request-Id: %s\r\ntraceparent: %s\r\n",
               http->request_id, http->trace.parent);
    bool ok = http_begin(http->request, response);
    buf_clear(&response->headers);
    return ok;
}

static bool send_progress(struct mcp *mcp, int64_t spent_ms)
{
    scoped(buf_free) struct buf event = BUF(EVENT_MAX_BYTES);
    struct text token = mcp->message.progress_token;
    buf_format(&event,
               EVENT_BEGIN "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":"
                           "{\"progressToken\":%.*s,\"progress\":%lld,\"total\":%lld}}" EVENT_END,
               (int)token.size, token.bytes, (long long)(spent_ms / 1000),
               (long long)(mcp->http->call.offer->contract->budget_ms / 1000));
    return http_send(mcp->http->request, mcp->http->response, buf_text(&event));
}

/* In revision 2026-07-28 a disconnect cancels the call; before it does not. */
static void on_disconnect(struct mcp *mcp)
{
    mcp->is_gone = true;
    if (!mcp->is_modern)
        return;
    mcp->http->mcp.outcome = "cancelled";
    call_cancel(&mcp->http->call);
}

static void show_progress(void *front)
{
    struct mcp *mcp = front;
    int64_t spent_ms = (clock_us() - mcp->http->call.started_us) / 1000;
    if (mcp->is_gone || spent_ms < mcp->progress_ms)
        return;
    mcp->progress_ms = spent_ms + mcp->http->call.gateway->progress_ms;
    bool ok = (mcp->http->response->has_begun || begin_stream(mcp)) && send_progress(mcp, spent_ms);
    if (!ok)
        on_disconnect(mcp);
}

void progress_offer(struct mcp *mcp)
{
    struct call *call = &mcp->http->call;
    const char *accept = http_header(mcp->http->request, "Accept");
    if (!accept || !strcasestr(accept, "text/event-stream") ||
        mcp->message.progress_token.size == 0 || call->offer->contract->budget_ms < BUDGET_MIN_MS)
        return;
    mcp->progress_ms = call->gateway->progress_ms;
    call->waiting = show_progress;
    call->front = mcp;
}

/* Line ends would end the event. In valid JSON they are only between values. */
static void blank_line_ends(struct buf *json)
{
    for (size_t i = 0; i < json->size; i++)
        if (json->bytes[i] == '\r' || json->bytes[i] == '\n')
            json->bytes[i] = ' ';
}

void progress_end(struct mcp *mcp)
{
    struct http_response *response = mcp->http->response;
    if (!response->has_begun)
        return;
    blank_line_ends(&response->body);
    if (!mcp->is_gone)
        mcp->is_gone = !http_send(mcp->http->request, response, TEXT(EVENT_BEGIN));
    buf_add_str(&response->body, EVENT_END);
}
