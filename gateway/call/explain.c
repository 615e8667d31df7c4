/* gateway/call/explain.c - the sentences of rejected calls. */
#include <stdio.h>

#include "base/codec/cidr.h"
#include "base/mem.h"
#include "gateway/call/call-private.h"

bool call_refuse(struct call *call, enum err_kind kind, const char *message)
{
    return errs_add(&call->errs, kind, "%s", message);
}

static const char *plural(int64_t count)
{
    return count == 1 ? "" : "s";
}

static void write_cap_error(const struct call *call, const char *period,
                            char message[static ERR_MESSAGE_BYTES])
{
    snprintf(message, ERR_MESSAGE_BYTES,
             "this call costs %d credit%s; this token's cap is %d %s, and %d are spent; the "
             "token's owner can raise the cap",
             (int)call->offer->contract->credits, plural(call->offer->contract->credits),
             (int)call->snapshot.granted, period, (int)call->snapshot.used);
}

/* Add the sentence for a rejection by the account's state. */
static void add_account_error(struct call *call, enum err_kind kind)
{
    const char *tool = call->offer->name;
    int64_t seconds = (call->retry_ms + 999) / 1000;
    struct account_snapshot *snapshot = &call->snapshot;
    const char *buy_url = call->gateway->buy_url;
    char message[ERR_MESSAGE_BYTES] = "";

    switch ((int)kind) {
    case ERR_INSUFFICIENT_CREDITS:
        snprintf(message, sizeof(message),
                 "this call costs %d credit%s and the balance is %d; %s%s",
                 (int)call->offer->contract->credits, plural(call->offer->contract->credits),
                 (int)(snapshot->posted - snapshot->held),
                 buy_url[0] ? "buy more at " : "ask the operator for more", buy_url);
        break;
    case ERR_RATE_LIMITED_ENDPOINT:
        snprintf(message, sizeof(message),
                 "the limit is %u calls of %s a minute; retry in %d seconds", call->told.endpoint,
                 tool, (int)seconds);
        break;
    case ERR_RATE_LIMITED_CLASS:
        snprintf(
            message, sizeof(message),
            "the limit is %u calls a minute of %s and similar tools together; retry in %d seconds",
            call->told.of_class, tool, (int)seconds);
        break;
    case ERR_RATE_LIMITED_GLOBAL:
        snprintf(message, sizeof(message),
                 "the limit is %u calls a minute of all tools together; retry in %d seconds",
                 call->told.global, (int)seconds);
        break;
    case ERR_DAILY_QUOTA_EXCEEDED:
        snprintf(message, sizeof(message), "the limit is %u calls of %s a day (UTC)",
                 call->told.daily, tool);
        break;
    case ERR_SPENDING_CAP_DAILY:
        write_cap_error(call, "a day (UTC)", message);
        break;
    case ERR_SPENDING_CAP_TOTAL:
        write_cap_error(call, "in total", message);
        break;
    case ERR_IDEMPOTENCY_IN_PROGRESS:
        snprintf(message, sizeof(message),
                 "a call with this Idempotency-Key is still running; retry in %d seconds",
                 (int)seconds);
        break;
    case ERR_IDEMPOTENCY_MISMATCH:
        snprintf(message, sizeof(message),
                 "this Idempotency-Key was used for another request; use a new key");
        break;
    default:
        break;
    }
    if (message[0])
        call_refuse(call, kind, message);
}

/* Also of a request that is about no offer, such as a list of tools over MCP. */
static bool refuse_address(struct call *call)
{
    char address[INET6_ADDRSTRLEN];
    address_format(address, &call->address);
    return errs_add(&call->errs, ERR_IP_NOT_ALLOWED,
                    "this token may not be used from %s; its owner can add the network", address);
}

/* The sentence for a rejected token or account. */
static const char *find_token_message(enum err_kind kind)
{
    static const struct {
        enum err_kind kind;
        const char *message;
    } rows[] = {
        { ERR_AUTH_INVALID, "the bearer token does not belong to this account" },
        { ERR_AUTH_EXPIRED, "the bearer token has expired; create a new one" },
        { ERR_AUTH_REVOKED, "the bearer token was revoked" },
        { ERR_ACCOUNT_SUSPENDED, "this account is suspended" },
        { ERR_ACCOUNT_CLOSED, "this account is closed" },
        { ERR_SCOPE_DENIED, "the bearer token's scopes do not include this tool" },
        { ERR_DEADLINE_EXCEEDED, "the call was not admitted in time; nothing was charged" },
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
    const char *message = find_token_message(err->kind);
    call->retry_ms = call->snapshot.retry_ms;
    if (err->kind == ERR_IP_NOT_ALLOWED)
        return refuse_address(call);
    if (message)
        return call_refuse(call, err->kind, message);
    add_account_error(call, err->kind);
    return call->errs.count > before ? false : errs_add_err(&call->errs, err);
}
