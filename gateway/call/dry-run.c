/* gateway/call/dry-run.c - see dry-run.h. admission_preview() of gateway/sql/002-ledger.sql decides
 * by the functions that decide about calls. */
#include "gateway/call/dry-run.h"

#include <stdio.h>
#include <string.h>

#include "base/codec/cidr.h"
#include "base/codec/hex.h"
#include "base/mem.h"
#include "base/os/log.h"
#include "gateway/call/call-private.h"
#include "text/json.h"

enum { LIMIT_BYTES = 24, COUNT_OF_NUMBERS = 6 };

/* ---- the question ---- */

static bool query_preview(const struct call *call, cJSON *row, struct err *err)
{
    const int64_t numbers[COUNT_OF_NUMBERS] = {
        call->offer->tool_id,
        call->offer->contract->credits,
        call->limits.endpoint_per_minute,
        call->limits.class_per_minute,
        call->global_limit,
        call->limits.daily_per_tool,
    };
    char text[COUNT_OF_NUMBERS][LIMIT_BYTES];
    char account[UUID_TEXT_BYTES];
    char token[2 * TOKEN_DIGEST_BYTES + 1];
    char address[INET6_ADDRSTRLEN];
    uuid_format(account, &call->account);
    hex_encode(token, call->token, sizeof(call->token));
    address_format(address, &call->address);
    for (size_t i = 0; i < COUNT_OF_NUMBERS; i++)
        snprintf(text[i], LIMIT_BYTES, "%lld", (long long)numbers[i]);
    return pool_row(
        call->gateway->usage,
        "select * from admission_preview($1, decode($2, 'hex'), $3::smallint,"
        " $4::bigint, $5::integer, $6::integer, $7::integer, $8::integer, $9::inet)",
        SQL_PARAMS(account, token, text[0], text[1], text[2], text[3], text[4], text[5], address),
        row, err);
}

static int64_t number_of(const cJSON *row, const char *name)
{
    const cJSON *value = json_get(row, name);
    return json_is(value, cJSON_Number) ? (int64_t)value->valuedouble : -1;
}

/* Put the answer where an admission puts it; then the sentences of its errors are the same. */
static void read_preview(const cJSON *row, struct call *probe)
{
    const char *outcome = json_text(row, "/outcome");
    probe->snapshot.posted = number_of(row, "posted");
    probe->snapshot.held = number_of(row, "held");
    probe->snapshot.retry_ms = number_of(row, "retry_ms");
    probe->snapshot.granted = number_of(row, "granted");
    probe->snapshot.used = number_of(row, "used");
    probe->snapshot.plan = (struct plan_numbers){
        .id = (int32_t)number_of(row, "plan_id"),
        .endpoint = (int32_t)number_of(row, "plan_endpoint"),
        .of_class = (int32_t)number_of(row, "plan_class"),
        .daily = (int32_t)number_of(row, "plan_daily"),
        .global = (int32_t)number_of(row, "plan_global"),
    };
    call_tell_limits(probe);
    if (!outcome)
        return;
    struct err err = { .kind = err_of_code(outcome) };
    if (err.kind == ERR_NONE)
        err.kind = ERR_INTERNAL;
    call_explain(probe, &err);
}

/* A call as the tool's would be, after its admission. */
static bool preview(const struct call *call, const struct offer *tool, struct call *probe)
{
    scoped(json_free) cJSON *row = json_object();
    struct err err = { 0 };
    *probe = (struct call){ .gateway = call->gateway,
                            .account = call->account,
                            .address = call->address,
                            .offer = tool,
                            .retry_ms = -1,
                            .snapshot = EMPTY_SNAPSHOT };
    memcpy(probe->token, call->token, sizeof(probe->token));
    call_read_limits(probe);
    if (!query_preview(probe, row, &err)) {
        log_line(LOG_WARN, "a dry run failed", log_str("error", err.message));
        return false;
    }
    read_preview(row, probe);
    return true;
}

/* ---- the answer ---- */

static void add_refusal(const struct call *probe, cJSON *result)
{
    if (probe->errs.count == 0) {
        json_null(result, "refusal");
        return;
    }
    const struct err *err = &probe->errs.item[0];
    cJSON *refusal = json_map(result, "refusal");
    json_int(refusal, "status", err_status(err->kind));
    json_str(refusal, "code", err_code(err->kind));
    json_str(refusal, "message", err->message);
    json_int_if(refusal, "retry_after_s", probe->retry_ms >= 0, (probe->retry_ms + 999) / 1000);
}

static void add_ignored(const struct unknown_fields *unknown, cJSON *result)
{
    cJSON *list = json_list(result, "ignored_fields");
    for (size_t i = 0; i < unknown->count; i++) {
        cJSON *item = json_item(list);
        json_str(item, "path", unknown->item[i].path);
        json_str(item, "did_you_mean", unknown->item[i].did_you_mean);
    }
}

bool dry_run_write(struct call *call, const struct offer *tool, cJSON *request,
                   const struct unknown_fields *unknown, struct buf *out)
{
    scoped(json_free) cJSON *result = json_object();
    scoped(json_free) cJSON *taken = request;
    scoped(mem_free) struct call *probe = mem_new(sizeof(*probe));
    if (!preview(call, tool, probe))
        return call_refuse(call, ERR_LEDGER_UNAVAILABLE,
                           "the credit ledger cannot be read at the moment; please retry");
    json_str(result, "tool", tool->name);
    json_int(result, "credits", tool->contract->credits);
    json_bool(result, "would_run", probe->errs.count == 0);
    add_refusal(probe, result);
    json_int(result, "credits_available", probe->snapshot.posted - probe->snapshot.held);
    json_add(result, "request", take(taken));
    add_ignored(unknown, result);
    json_str(result, "checked", "contract");
    json_print(result, out);
    return true;
}
