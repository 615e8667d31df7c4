/* gateway/http/request-record.c - see request-record.h. */
#include "gateway/http/request-record.h"

#include <stdio.h>
#include <string.h>

#include "base/num.h"
#include "gateway/requests/request-log.h"

/* A flood with invalid tokens must not fill the log, nor cause lookups. A method is rejected before
 * the token is looked up. */
static bool is_recorded(const struct http_call *http)
{
    const struct errs *errs = &http->call.errs;
    enum err_kind kind = errs->count > 0 ? errs->item[0].kind : ERR_NONE;
    return http->call.gateway->requests && http->has_account && http->has_token &&
           kind != ERR_AUTH_INVALID && kind != ERR_METHOD_NOT_ALLOWED;
}

/* The tool's offer, also of a dry run; NULL: the request is not about a tool. */
static const struct offer *find_tool(const struct http_call *http)
{
    const struct offer *offer = http->dry_tool ? http->dry_tool : http->call.offer;
    return offer && offer->contract ? offer : NULL;
}

/* NULL: a call of a tool. */
static const char *find_route(const struct http_call *http, const struct offer *tool)
{
    static const char *const names[] = {
        [ROUTE_DRY_RUN] = "dry-run",
        [ROUTE_CREDITS] = "credits",
        [ROUTE_USAGE] = "usage",
        [ROUTE_LIMITS] = "limits",
        [ROUTE_REQUESTS] = "requests",
        [ROUTE_INVOICES] = "invoices",
        [ROUTE_TOKENS] = "tokens",
        [ROUTE_ONE_TOKEN] = "tokens",
        [ROUTE_TOKEN_REVOKE] = "tokens/revoke",
        [ROUTE_TOKEN_ROTATE] = "tokens/rotate",
    };
    if (route_is_mcp(http->route))
        return tool ? NULL : http->call.offer ? http->call.offer->name : http->mcp.method;
    return (size_t)http->route < countof(names) ? names[http->route] : NULL;
}

/* Over MCP, the status that REST would have had. */
static void set_outcome(const struct http_call *http, struct request_record *record)
{
    const struct errs *errs = &http->call.errs;
    record->status = (int16_t)http->response->status;
    if (errs->count == 0) {
        record->code = http->mcp.fault;
        return;
    }
    record->code = err_code(errs->item[0].kind);
    if (http->response->status < 400)
        record->status = (int16_t)err_status(errs->item[0].kind);
}

static int32_t in_int32(int64_t value)
{
    return (int32_t)MIN(value, (int64_t)INT32_MAX);
}

static void set_sizes(const struct http_call *http, struct request_record *record)
{
    const struct http_request *request = http->request;
    record->bytes_in = in_int32((int64_t)(request->body.size + request->query.size));
    record->bytes_out = in_int32((int64_t)http->response->body.size);
    record->ignored = (int16_t)MIN(http->unknown.total, (size_t)INT16_MAX);
}

static void set_client_id(const struct http_call *http, struct request_record *record)
{
    char own[UUID_TEXT_BYTES];
    uuid_format(own, &http->call.id);
    if (strcmp(http->request_id, own) != 0)
        snprintf(record->client_id, sizeof(record->client_id), "%s", http->request_id);
}

void request_record_add(const struct http_call *http, int64_t total_us)
{
    const struct call *call = &http->call;
    if (!is_recorded(http))
        return;
    const struct offer *tool = find_tool(http);
    bool has_run = call->run_started_us > 0;
    struct request_record record = {
        .id = call->id,
        .account = call->account,
        .address = call->address,
        .route = find_route(http, tool),
        .credits = in_int32(call->charged),
        .total_us = in_int32(total_us),
        .queue_us = has_run ? in_int32(call->queue_us) : -1,
        .tool_us = has_run ? in_int32(call->tool_us) : -1,
        .tool_id = tool ? (int16_t)tool->tool_id : 0,
        .surface = route_is_mcp(http->route) ? RECORD_MCP : RECORD_REST,
        .is_replayed = call->is_replayed,
    };
    memcpy(record.token, call->token, sizeof(record.token));
    set_outcome(http, &record);
    set_sizes(http, &record);
    set_client_id(http, &record);
    request_log_add(call->gateway->requests, &record);
}
