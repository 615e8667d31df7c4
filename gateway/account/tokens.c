/* gateway/account/tokens.c - see tokens.h. */
#include "gateway/account/tokens.h"

#include <sodium.h>
#include <string.h>

#include "base/codec/cidr.h"
#include "base/codec/hex.h"
#include "base/os/log.h"
#include "base/table.h"
#include "gateway/account/asker.h"
#include "gateway/call/call.h"

enum { LAST_BYTES = 4, SETTINGS_MAX_BYTES = 64 << 10 };

static const char *act_name(enum tokens_act act)
{
    switch (act) {
    case TOKENS_LIST:
        return "list";
    case TOKENS_GET:
        return "get";
    case TOKENS_CREATE:
        return "create";
    case TOKENS_CHANGE:
        return "change";
    case TOKENS_REVOKE:
        return "revoke";
    case TOKENS_ROTATE:
        return "rotate";
    }
    return NULL;
}

/* ---- the question ---- */

/* A new secret, and what the database stores of it; empty for other acts. */
struct secret {
    char token[TOKEN_BYTES];
    char digest[2 * TOKEN_DIGEST_BYTES + 1];
    char last4[LAST_BYTES + 1];
};

static bool makes_secret(enum tokens_act act)
{
    return act == TOKENS_CREATE || act == TOKENS_ROTATE;
}

static void make_secret(struct secret *secret)
{
    uint8_t digest[TOKEN_DIGEST_BYTES];
    token_new(secret->token);
    token_digest(secret->token, digest);
    hex_encode(secret->digest, digest, sizeof(digest));
    memcpy(secret->last4, secret->token + TOKEN_BYTES - 1 - LAST_BYTES, sizeof(secret->last4));
}

static bool manage(const struct call *call, const struct tokens_request *request,
                   const struct secret *secret, cJSON *row, struct err *err)
{
    struct asker asker = asker_of(&call->account, call->token);
    scoped(buf_free) struct buf settings = BUF(SETTINGS_MAX_BYTES);
    char address[INET6_ADDRSTRLEN];
    bool is_new = makes_secret(request->act);
    address_format(address, &call->address);
    json_print(request->settings, &settings);
    return pool_row(call->gateway->usage,
                    "select * from token_manage($1, decode($2, 'hex'), $3::inet, $4, $5, $6::jsonb,"
                    " decode($7, 'hex'), $8)",
                    SQL_PARAMS(asker.account, asker.token, address, act_name(request->act),
                               request->token[0] ? request->token : NULL, buf_str(&settings),
                               is_new ? secret->digest : NULL, is_new ? secret->last4 : NULL),
                    row, err);
}

/* ---- the answer ---- */

static const struct refusal {
    const char *outcome; /* of token_manage() */
    enum err_kind kind;
    const char *message;
} refusals[] = {
    { "none", ERR_NOT_FOUND, "the account has no such token" },
    { "exists", ERR_TOKEN_EXISTS,
      "the account has a token with this id; if you did not get its secret, revoke it and create "
      "another one" },
    { "full", ERR_TOO_MANY_ITEMS,
      "the account has 50 active tokens, which is the limit; revoke one first" },
    { "hourly", ERR_RATE_LIMITED_ENDPOINT, "the limit is 60 new tokens an hour" },
    { "scope", ERR_INVALID_VALUE, "scopes has a name that is not a tool, a group or account" },
    { "past", ERR_INVALID_VALUE, "expires_at must be in the future" },
    { "late", ERR_INVALID_VALUE, "expires_at must be within the next 10 years" },
    { "later", ERR_INVALID_VALUE, "expires_at can only become earlier; create another token" },
    { "uncounted", ERR_INVALID_VALUE,
      "cap_daily and cap_total must be null: this token was created without a cap, so its spending "
      "is not counted; create another token" },
    { "ended", ERR_NOT_FOUND, "this token is revoked or has expired; create another one" },
    { "grace", ERR_INVALID_VALUE,
      "grace_s must be 0: two valid tokens would have the caps of this one twice" },
    { "id", ERR_MISSING_FIELD, "id is required: the id of the new token, chosen by you" },
    { "leaving", ERR_ACCOUNT_CLOSED, "this account will be deleted; its owner must keep it first" },
    { "suspended", ERR_ACCOUNT_SUSPENDED, "this account is suspended" },
    { "closed", ERR_ACCOUNT_CLOSED, "this account is closed" },
    { "scope_denied", ERR_SCOPE_DENIED, "this management token's scopes do not include this" },
};

static bool refuse_act(struct call *call, const char *outcome, const cJSON *result)
{
    const struct refusal *refusal = TABLE_FIND(refusals, outcome);
    struct err err = { .kind = err_of_code(outcome) };
    if (!refusal && err.kind == ERR_NONE)
        err.kind = ERR_INTERNAL;
    if (!refusal) /* of the management token itself */
        return call_explain(call, &err);
    if (json_get(result, "retry_ms"))
        call->retry_ms = json_integer(result, "retry_ms");
    return call_refuse(call, refusal->kind, refusal->message);
}

static bool fail_unavailable(struct call *call, const struct err *why)
{
    log_line(LOG_WARN, "tokens cannot be managed", log_str("error", why->message));
    return call_refuse(call, ERR_LEDGER_UNAVAILABLE,
                       "tokens cannot be managed at the moment; please retry");
}

/* The secret is the first field, where a reader looks for it. */
static void write_token(const struct secret *secret, const cJSON *result, struct buf *out)
{
    scoped(json_wipe) cJSON *shown = json_object();
    const cJSON *member;
    if (secret->token[0])
        json_str(shown, "token", secret->token);
    cJSON_ArrayForEach(member, result)
        json_add(shown, member->string, json_copy(member));
    json_print(shown, out);
}

bool tokens_write(struct call *call, const struct tokens_request *request, struct buf *out)
{
    scoped(json_free) cJSON *row = json_object();
    struct secret secret = { 0 };
    struct err err = { 0 };
    if (makes_secret(request->act))
        make_secret(&secret);
    bool ok = manage(call, request, &secret, row, &err);
    const char *outcome = json_text(row, "/outcome");
    if (!ok || !outcome)
        ok = fail_unavailable(call, &err);
    else if (strcmp(outcome, "done") != 0)
        ok = refuse_act(call, outcome, json_get(row, "result"));
    else
        write_token(&secret, json_get(row, "result"), out);
    sodium_memzero(&secret, sizeof(secret));
    return ok;
}
