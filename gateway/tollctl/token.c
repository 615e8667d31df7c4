/* gateway/tollctl/token.c - API tokens: create, list, cap, revoke; connected apps: list, show,
 * revoke; their clients: block, unblock. */
#include "gateway/tollctl/token.h"

#include <inttypes.h>
#include <sodium.h>
#include <stdio.h>
#include <string.h>
#include <sysexits.h>

#include "base/ascii.h"
#include "base/codec/hex.h"
#include "base/codec/networks.h"
#include "base/mem.h"
#include "gateway/tollctl/rows.h"
#include "gateway/tollctl/tollctl.h"
#include "net/host.h"
#include "text/token.h"

enum {
    SCOPES_MAX_BYTES = 8192,
    LAST_BYTES = 4, /* shown of a token; all are check characters */
    TEN_YEARS_S = 315360000,
    CAP_MAX = 1000000000,
    KEY_DIGITS = 64,
    OUTCOME_BYTES = 16,
};

/* ---- token create ---- */

/* Join tools and groups with commas, which their names cannot contain. */
static bool join_scopes(const struct args *args, struct buf *out, struct err *err)
{
    const char *scope;
    for (size_t i = 0; (scope = args_item(args, "--scope", i)); i++) {
        if (strspn(scope, "abcdefghijklmnopqrstuvwxyz0123456789-") != strlen(scope))
            return err_set(err, ERR_INVALID_VALUE,
                           "--scope %s must be a tool or group: lower-case letters, digits, -",
                           scope);
        buf_format(out, "%s%s", i > 0 ? "," : "", scope);
    }
    return !out->full || err_set(err, ERR_TOO_LONG, "the scopes are too long");
}

/* Reject unknown scopes, if gateways have registered their tools: such a token could call nothing.
 */
static bool check_scopes(struct tollctl *ctl, const char *scopes, struct err *err)
{
    scoped(json_free) cJSON *found = json_object();
    if (!sql_row(
            ctl->sql,
            "select exists (select from tool) as has_tools,"
            "       (select string_agg(s, ', ') from unnest(string_to_array($1, ',')) s"
            "         where s <> 'account' and not exists"
            "               (select from tool t where s in (t.name, t.tool_group))) as unknown",
            (struct sql_params){ 1, { scopes } }, found, err))
        return false;
    const char *unknown = json_text(found, "/unknown");
    if (unknown && json_is(json_get(found, "has_tools"), cJSON_True))
        return err_set(err, ERR_INVALID_VALUE, "unknown tool or group %s", unknown);
    if (unknown)
        fprintf(stderr,
                "tollctl: no gateway has registered its tools yet, so the scopes (%s) are "
                "not checked\n",
                unknown);
    return true;
}

static bool check_open(const cJSON *snapshot, struct err *err)
{
    const char *account = json_text(snapshot, "/account");
    if (strcmp(json_text(snapshot, "/state"), "closed") == 0)
        return err_set(err, ERR_ACCOUNT_CLOSED, "account %s is closed for good; create a new one",
                       account);
    return !json_text(snapshot, "/delete_at") ||
           err_set(err, ERR_ACCOUNT_CLOSED,
                   "the member of account %s asked for its deletion; they must keep it first",
                   account);
}

/* The networks as an SQL array; "": everywhere. */
static bool join_networks(struct tollctl *ctl, char out[static NETWORKS_TEXT_BYTES],
                          struct err *err)
{
    scoped(cidrs_free) struct cidrs list = { 0 };
    struct err why = { 0 };
    const char *network;
    for (size_t i = 0; (network = args_item(&ctl->args, "--network", i)); i++)
        if (!networks_add(&list, text_of(network), &why)) {
            ctl->status = EX_USAGE;
            return err_set(err, why.kind, "--network: %s", why.message);
        }
    networks_write(&list, out);
    return true;
}

static bool insert_token(struct tollctl *ctl, const char *token_id, const char *token,
                         const char *scopes, const char *networks, struct err *err)
{
    const char *account = args_text(&ctl->args, "ACCOUNT");
    const char *name = args_text(&ctl->args, "--name");
    uint8_t digest[TOKEN_DIGEST_BYTES];
    char hex[2 * TOKEN_DIGEST_BYTES + 1];

    token_digest(token, digest);
    hex_encode(hex, digest, sizeof(digest));
    return sql_run(
        ctl->sql,
        "insert into token (account_id, token_id, digest, name, last4, scopes, created_at,"
        "                   cap_daily, cap_total, spent_total, is_strict, networks, created_by)"
        " values ($1, $2, decode($3, 'hex'), $4, $5, string_to_array($6, ','),"
        "         ms_to_time(ledger_now_ms()), $7::bigint, $8::bigint,"
        "         case when coalesce($7, $8) is not null then 0 end, $9::boolean,"
        "         nullif($10, '')::cidr[], 'operator')",
        SQL_PARAMS(account, token_id, hex, name ? name : "", token + TOKEN_BYTES - 1 - LAST_BYTES,
                   scopes, args_text(&ctl->args, "--cap-daily"),
                   args_text(&ctl->args, "--cap-total"),
                   args_has(&ctl->args, "--strict") ? "true" : "false", networks),
        err);
}

static bool set_expiry(struct tollctl *ctl, const char *token_id, struct err *err)
{
    const char *seconds = args_text(&ctl->args, "--expires-in");
    return !seconds || sql_run(ctl->sql,
                               "update token set expires_at = created_at + $3 * interval '1 second'"
                               " where account_id = $1 and token_id = $2",
                               (struct sql_params){
                                   3, { args_text(&ctl->args, "ACCOUNT"), token_id, seconds } },
                               err);
}

static bool store_token(struct tollctl *ctl, const char *token_id, const char *token,
                        struct err *err)
{
    const char *account = args_text(&ctl->args, "ACCOUNT");
    scoped(buf_free) struct buf scopes = BUF(SCOPES_MAX_BYTES);
    scoped(json_free) cJSON *snapshot = json_object();
    char networks[NETWORKS_TEXT_BYTES];

    if (!join_scopes(&ctl->args, &scopes, err) || !join_networks(ctl, networks, err))
        return false;
    scoped(mem_free) char *detail =
        str_format("token %s, scopes: %s", token_id, scopes.size > 0 ? buf_str(&scopes) : "all");
    return sql_begin(ctl->sql, SQL_WRITE, err) &&
           tollctl_lock_account(ctl->sql, account, snapshot, err) && check_open(snapshot, err) &&
           check_scopes(ctl, buf_str(&scopes), err) &&
           insert_token(ctl, token_id, token, buf_str(&scopes), networks, err) &&
           set_expiry(ctl, token_id, err) &&
           tollctl_audit(ctl->sql, ctl->command->name, account, detail, err) &&
           sql_commit(ctl->sql, err);
}

static bool token_create(struct tollctl *ctl, cJSON *answer, struct err *err)
{
    char token[TOKEN_BYTES];
    char token_id[UUID_TEXT_BYTES];
    struct uuid id = uuid_new();

    if (sodium_init() < 0)
        return err_set(err, ERR_INTERNAL, "the system's random number generator failed");
    uuid_format(token_id, &id);
    token_new(token);
    json_str(answer, "account", args_text(&ctl->args, "ACCOUNT"));
    json_str(answer, "token_id", token_id);
    json_str(answer, "token", token);
    ctl->remark = "The token is shown only now: the database has only its SHA-256.";
    bool ok = store_token(ctl, token_id, token, err);
    explicit_bzero(token, sizeof(token));
    return ok;
}

/* ---- token list, revoke ---- */

/* An app is active until it is revoked: it gets another access token when one has expired. */
bool token_rows(struct sql *sql, const char *account, cJSON *list, struct err *err)
{
    return sql_rows(
        sql,
        "select token_id, name, case kind when 3 then 'app' when 5 then 'management' else 'token' "
        "end as kind,"
        "       case kind when 5 then 'tg_mgmt_…' else 'tg_live_…' end || last4 as token,"
        "       case when revoked_at is not null then 'revoked'"
        "            when expires_at <= ms_to_time(ledger_now_ms()) and kind <> 3 then 'expired'"
        "            else 'active' end as state,"
        "       array_to_json(scopes) as scopes, is_strict,"
        "       array_to_json(networks::text[]) as networks, cap_daily,"
        "       case when spent_total is null then null"
        "            when spent_day >= utc_day(ms_to_time(ledger_now_ms())) then spent_today"
        "            else 0 end as spent_today, cap_total, spent_total,"
        "       created_at, expires_at, last_used_at, revoked_at"
        "  from token where account_id = $1 and kind in (1, 3, 5)"
        " order by created_at desc, token_id desc",
        (struct sql_params){ 1, { account } }, list, err);
}

static bool token_list(struct tollctl *ctl, cJSON *answer, struct err *err)
{
    const char *account = args_text(&ctl->args, "ACCOUNT");
    json_str(answer, "account", account);
    return tollctl_find_account(ctl->sql, account, err) &&
           token_rows(ctl->sql, account, json_list(answer, "tokens"), err);
}

static bool mark_revoked(struct tollctl *ctl, const char *account, const char *token_id,
                         struct err *err)
{
    scoped(mem_free) char *detail = str_format("token %s", token_id);
    return sql_run(ctl->sql,
                   "update token set revoked_at = ms_to_time(ledger_now_ms())"
                   " where account_id = $1 and token_id = $2",
                   (struct sql_params){ 2, { account, token_id } }, err) &&
           sql_run(ctl->sql, "select oauth_close($1, 'operator')", SQL_PARAMS(account), err) &&
           tollctl_audit(ctl->sql, ctl->command->name, account, detail, err);
}

static bool token_revoke(struct tollctl *ctl, cJSON *answer, struct err *err)
{
    const char *account = args_text(&ctl->args, "ACCOUNT");
    const char *token_id = args_text(&ctl->args, "TOKEN_ID");
    scoped(json_free) cJSON *snapshot = json_object();
    scoped(json_free) cJSON *found = json_object();

    if (!sql_begin(ctl->sql, SQL_WRITE, err) ||
        !tollctl_lock_account(ctl->sql, account, snapshot, err) ||
        !sql_row(ctl->sql,
                 "select revoked_at is not null as is_revoked from token"
                 " where account_id = $1 and token_id = $2",
                 (struct sql_params){ 2, { account, token_id } }, found, err))
        return false;
    if (!json_get(found, "is_revoked"))
        return err_set(err, ERR_NOT_FOUND,
                       "the account has no token %s; see `tollctl token list %s`", token_id,
                       account);
    bool is_changed = !json_is(json_get(found, "is_revoked"), cJSON_True);
    json_str(answer, "account", account);
    json_str(answer, "token_id", token_id);
    json_str(answer, "state", "revoked");
    json_bool(answer, "changed", is_changed);
    return (!is_changed || mark_revoked(ctl, account, token_id, err)) && sql_commit(ctl->sql, err);
}

/* ---- token set-cap ---- */

static bool change_caps(struct tollctl *ctl, const char *account, const char *token_id,
                        const char *daily, const char *total, struct err *err)
{
    scoped(json_free) cJSON *found = json_object();
    if (!sql_row(ctl->sql, "select token_cap($1, $2, $3::bigint, $4::bigint) as is_done",
                 (struct sql_params){ 4, { account, token_id, daily, total } }, found, err))
        return false;
    return json_is(json_get(found, "is_done"), cJSON_True) ||
           err_set(err, ERR_INVALID_VALUE,
                   "token %s was created without a cap and cannot get one, because its spending "
                   "is not counted; create another token, or see `tollctl token list %s`",
                   token_id, account);
}

static bool token_set_cap(struct tollctl *ctl, cJSON *answer, struct err *err)
{
    const char *account = args_text(&ctl->args, "ACCOUNT");
    const char *token_id = args_text(&ctl->args, "TOKEN_ID");
    const char *daily = args_text(&ctl->args, "--daily");
    const char *total = args_text(&ctl->args, "--total");
    scoped(json_free) cJSON *snapshot = json_object();
    scoped(mem_free) char *detail = str_format("token %s, daily: %s, total: %s", token_id,
                                               daily ? daily : "none", total ? total : "none");

    json_str(answer, "account", account);
    json_str(answer, "token_id", token_id);
    json_str(answer, "cap_daily", daily ? daily : "none");
    json_str(answer, "cap_total", total ? total : "none");
    return sql_begin(ctl->sql, SQL_WRITE, err) &&
           tollctl_lock_account(ctl->sql, account, snapshot, err) &&
           change_caps(ctl, account, token_id, daily, total, err) &&
           tollctl_audit(ctl->sql, ctl->command->name, account, detail, err) &&
           sql_commit(ctl->sql, err);
}

/* ---- app list, show, revoke ---- */

/* An app whose time is over is expired before a portal revokes it. */
#define APP_COLUMNS                                                                           \
    "select t.token_id as app, t.name,"                                                       \
    "       case when g.state = 2 then 'revoked'"                                             \
    "            when least(g.ends_at, g.refresh_until) <= ms_to_time(ledger_now_ms())"       \
    "            then 'expired' else 'active' end as state,"                                  \
    "       coalesce(nullif(g.client_host, ''), 'registered') as client, g.redirect_host,"    \
    "       array_to_json(t.scopes) as scopes, t.cap_daily,"                                  \
    "       case when t.spent_day >= utc_day(ms_to_time(ledger_now_ms())) then t.spent_today" \
    "            else 0 end as spent_today, t.cap_total, t.spent_total, g.connected_at,"      \
    "       t.last_used_at, g.ends_at"

#define APP_TABLES " from oauth_grant g join token t using (account_id, token_id)"

static bool app_list(struct tollctl *ctl, cJSON *answer, struct err *err)
{
    const char *account = args_text(&ctl->args, "ACCOUNT");
    json_str(answer, "account", account);
    return tollctl_find_account(ctl->sql, account, err) &&
           sql_rows(ctl->sql,
                    APP_COLUMNS APP_TABLES " where g.account_id = $1"
                                           " order by g.connected_at desc, g.token_id",
                    SQL_PARAMS(account), json_list(answer, "apps"), err);
}

static bool fail_unknown_app(struct tollctl *ctl, struct err *err)
{
    const char *account = args_text(&ctl->args, "ACCOUNT");
    return err_set(err, ERR_NOT_FOUND,
                   "the account has no connected app %s; see `tollctl app list %s`",
                   args_text(&ctl->args, "APP"), account);
}

static bool app_show(struct tollctl *ctl, cJSON *answer, struct err *err)
{
    const char *account = args_text(&ctl->args, "ACCOUNT");
    json_str(answer, "account", account);
    return tollctl_find_account(ctl->sql, account, err) &&
           sql_row(ctl->sql,
                   APP_COLUMNS
                   ", g.client_name, encode(g.client_key, 'hex') as client_key,"
                   "  g.needs_key as signs_requests, g.member_id as member,"
                   "  g.network, g.created_at, 'tg_live_…' || t.last4 as access_token, g.issued_at,"
                   "  t.expires_at, g.refresh_no as refreshes, g.rotated_at as refreshed_at,"
                   "  g.refresh_until, g.ended_at, g.ended_by" APP_TABLES
                   " where g.account_id = $1 and g.token_id = $2",
                   SQL_PARAMS(account, args_text(&ctl->args, "APP")), answer, err) &&
           (json_get(answer, "app") || fail_unknown_app(ctl, err));
}

/* Revoke it, with an audit entry; one account a transaction, as for all writers. outcome: of
 * oauth_end(). */
static bool end_app(struct tollctl *ctl, const char *account, const char *app,
                    char outcome[static OUTCOME_BYTES], struct err *err)
{
    scoped(json_free) cJSON *snapshot = json_object();
    scoped(json_free) cJSON *row = json_object();
    scoped(mem_free) char *detail = str_format("token %s", app);
    if (!sql_begin(ctl->sql, SQL_WRITE, err) ||
        !tollctl_lock_account(ctl->sql, account, snapshot, err) ||
        !sql_row(ctl->sql, "select oauth_end($1, $2, 'operator') as outcome",
                 SQL_PARAMS(account, app), row, err))
        return false;
    sql_copy(row, "outcome", outcome, OUTCOME_BYTES);
    return (strcmp(outcome, "done") != 0 ||
            tollctl_audit(ctl->sql, "app revoke", account, detail, err)) &&
           sql_commit(ctl->sql, err);
}

static bool app_revoke(struct tollctl *ctl, cJSON *answer, struct err *err)
{
    const char *account = args_text(&ctl->args, "ACCOUNT");
    const char *app = args_text(&ctl->args, "APP");
    char outcome[OUTCOME_BYTES];
    if (!end_app(ctl, account, app, outcome, err))
        return false;
    if (strcmp(outcome, "none") == 0)
        return fail_unknown_app(ctl, err);
    json_str(answer, "account", account);
    json_str(answer, "app", app);
    json_str(answer, "state", "revoked");
    json_bool(answer, "changed", strcmp(outcome, "done") == 0);
    return true;
}

/* ---- app block, unblock, blocks ---- */

/* The host in canonical form, or the key in lowercase. */
static bool read_client(struct tollctl *ctl, char what[static HOST_BYTES], struct err *err)
{
    const char *given = args_text(&ctl->args, "CLIENT");
    struct err why = { 0 };
    if (strlen(given) == KEY_DIGITS && strspn(given, "0123456789abcdefABCDEF") == KEY_DIGITS) {
        for (size_t i = 0; i <= KEY_DIGITS; i++)
            what[i] = ascii_lower(given[i]);
        return true;
    }
    if (domain_parse(text_of(given), DOMAIN_UNDERSCORE, what, &why))
        return true;
    ctl->status = EX_USAGE;
    return err_set(err, ERR_INVALID_VALUE,
                   "CLIENT must be a host with at least two labels, such as app.example.com, or a "
                   "client key of 64 hexadecimal digits, see `tollctl app show`");
}

static bool block(struct tollctl *ctl, const char *what, cJSON *answer, struct err *err)
{
    scoped(json_free) cJSON *row = json_object();
    if (!sql_begin(ctl->sql, SQL_WRITE, err) ||
        !sql_row(ctl->sql, "select oauth_block_add($1, $2) as is_new",
                 SQL_PARAMS(what, args_text(&ctl->args, "--why")), row, err))
        return false;
    json_bool(answer, "changed", json_is(json_get(row, "is_new"), cJSON_True));
    return tollctl_audit(ctl->sql, ctl->command->name, NULL, what, err) &&
           sql_commit(ctl->sql, err);
}

/* Until none is left: the block has committed, so no connection is new. */
static bool end_connections(struct tollctl *ctl, const char *what, cJSON *answer, struct err *err)
{
    char outcome[OUTCOME_BYTES];
    int64_t ended = 0;
    for (bool is_over = false; !is_over;) {
        scoped(json_free) cJSON *apps = json_array();
        const cJSON *app;
        if (!sql_rows(ctl->sql,
                      "select account_id, token_id from oauth_grant"
                      " where state = 1"
                      "   and oauth_is_client($1, client_key, array[client_host, redirect_host])"
                      " order by account_id, token_id limit 500",
                      SQL_PARAMS(what), apps, err))
            return false;
        cJSON_ArrayForEach(app, apps) {
            if (!end_app(ctl, json_text(app, "/account_id"), json_text(app, "/token_id"), outcome,
                         err))
                return false;
            ended += strcmp(outcome, "done") == 0;
        }
        is_over = json_size(apps) == 0;
    }
    json_int(answer, "revoked", ended);
    return true;
}

static bool app_block(struct tollctl *ctl, cJSON *answer, struct err *err)
{
    char what[HOST_BYTES];
    if (!read_client(ctl, what, err))
        return false;
    json_str(answer, "client", what);
    json_str(answer, "state", "blocked");
    return block(ctl, what, answer, err) &&
           (!args_has(&ctl->args, "--revoke") || end_connections(ctl, what, answer, err));
}

static bool app_unblock(struct tollctl *ctl, cJSON *answer, struct err *err)
{
    scoped(json_free) cJSON *row = json_object();
    char what[HOST_BYTES];
    if (!read_client(ctl, what, err) || !sql_begin(ctl->sql, SQL_WRITE, err) ||
        !sql_row(ctl->sql, "select oauth_block_remove($1) as is_done", SQL_PARAMS(what), row, err))
        return false;
    if (!json_is(json_get(row, "is_done"), cJSON_True))
        return err_set(err, ERR_NOT_FOUND, "%s is not blocked; see `tollctl app blocks`", what);
    json_str(answer, "client", what);
    json_str(answer, "state", "allowed");
    return tollctl_audit(ctl->sql, ctl->command->name, NULL, what, err) &&
           sql_commit(ctl->sql, err);
}

static bool app_blocks(struct tollctl *ctl, cJSON *answer, struct err *err)
{
    return sql_rows(ctl->sql,
                    "select what as client, why, blocked_at from oauth_block"
                    " order by blocked_at desc, what",
                    (struct sql_params){ 0 }, json_list(answer, "blocks"), err);
}

/* clang-format off */
const struct command token_commands[] = {
    { "token create", "Create a token; it is shown only now.", token_create, .args = {
        { "ACCOUNT", "whose it is", .type = ARG_UUID },
        { "--name", "a name for the token, 1 to 200 characters", "TEXT", .min = 1, .max = 200 },
        { "--scope", "a tool or group that it may call, or account; default: all", "NAME",
          .min = 1, .max = 64, .is_list = true },
        { "--expires-in", "lifetime in seconds; default: unlimited", "SECONDS", ARG_INT, 1, TEN_YEARS_S },
        { "--cap-daily", "credits it may spend in a UTC day; default: no cap", "CREDITS", ARG_INT, 0, CAP_MAX },
        { "--cap-total", "credits it may spend in total; default: no cap", "CREDITS", ARG_INT, 0, CAP_MAX },
        { "--network", "an address or network from which it may be used; default: everywhere", "CIDR",
          .min = 1, .max = 49, .is_list = true },
        { "--strict", "reject requests with unknown fields", .type = ARG_FLAG } } },
    { "token list", "List an account's tokens, newest first; empty scopes: all tools.", token_list, .args = {
        { "ACCOUNT", "whose they are", .type = ARG_UUID } } },
    { "token set-cap", "Replace the caps of a token that was created with a cap; an omitted cap is removed.", token_set_cap, .args = {
        { "ACCOUNT", "whose it is", .type = ARG_UUID },
        { "TOKEN_ID", "its id, see `token list`", .type = ARG_UUID },
        { "--daily", "credits it may spend in a UTC day", "CREDITS", ARG_INT, 0, CAP_MAX },
        { "--total", "credits it may spend in total", "CREDITS", ARG_INT, 0, CAP_MAX } } },
    { "token revoke", "Reject the token from now on.", token_revoke, .args = {
        { "ACCOUNT", "whose it is", .type = ARG_UUID },
        { "TOKEN_ID", "its id, see `token list`", .type = ARG_UUID } } },
    { "app list", "List an account's connected apps, the newest connection first.", app_list, .args = {
        { "ACCOUNT", "whose they are", .type = ARG_UUID } } },
    { "app show", "Show a connected app: who it is, what it may do, what it spent.", app_show, .args = {
        { "ACCOUNT", "whose it is", .type = ARG_UUID },
        { "APP", "its id, see `app list`", .type = ARG_UUID } } },
    { "app revoke", "Reject the app's calls and refreshes from now on.", app_revoke, .args = {
        { "ACCOUNT", "whose it is", .type = ARG_UUID },
        { "APP", "its id, see `app list`", .type = ARG_UUID } } },
    { "app block", "Let no member connect a client from now on.", app_block, .args = {
        { "CLIENT", "the host of its document or of its redirects, with all names below it; or its client key", "CLIENT", .min = 1, .max = 253 },
        { "--why", "the reason, for operators, 1 to 200 characters", "TEXT", .min = 1, .max = 200, .is_required = true },
        { "--revoke", "also revoke what is connected", .type = ARG_FLAG } } },
    { "app unblock", "Let members connect a blocked client again.", app_unblock, .args = {
        { "CLIENT", "as in `app blocks`", "CLIENT", .min = 1, .max = 253 } } },
    { "app blocks", "List the blocked clients, newest first.", app_blocks },
    { 0 },
};
/* clang-format on */
