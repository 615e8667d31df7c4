/* gateway/tollctl/account.c - accounts: create, show, suspend, grant credits, set limits. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sysexits.h>

#include "base/mem.h"
#include "base/table.h"
#include "db/sql.h"
#include "gateway/tollctl/export.h"
#include "gateway/tollctl/ledger.h"
#include "gateway/tollctl/rows.h"
#include "gateway/tollctl/token.h"
#include "gateway/tollctl/tollctl.h"

static const char *number_text(int64_t number, char out[static 24])
{
    snprintf(out, 24, "%" PRId64, number);
    return out;
}

static int64_t number_of(const cJSON *object, const char *name)
{
    const cJSON *node = json_get(object, name);
    return node ? (int64_t)node->valuedouble : 0;
}

/* ---- account create ---- */

static bool insert_account(struct tollctl *ctl, const char *account, struct err *err)
{
    const char *name = args_text(&ctl->args, "NAME");
    const char *limits_off = args_has(&ctl->args, "--limits-off") ? "true" : "false";
    return sql_run(ctl->sql,
                   "insert into account (account_id, name, limits_off, created_at)"
                   " values ($1, $2, $3, ms_to_time(ledger_now_ms()))",
                   (struct sql_params){ 3, { account, name, limits_off } }, err) &&
           sql_run(ctl->sql, "insert into account_balance (account_id) values ($1)",
                   (struct sql_params){ 1, { account } }, err);
}

static bool grant_signup(struct tollctl *ctl, const char *account, int64_t credits, struct err *err)
{
    char amount[24];
    return credits == 0 ||
           sql_run(ctl->sql, "select ledger_credit($1, 1::smallint, $2, $1, 'sign-up grant')",
                   (struct sql_params){ 2, { account, number_text(credits, amount) } }, err);
}

/* The sign-up grant, used without --credits. */
static bool find_grant(struct tollctl *ctl, int64_t *credits, struct err *err)
{
    scoped(json_free) cJSON *row = json_object();
    if (!sql_row(ctl->sql, "select signup_credits() as credits", NO_PARAMS, row, err))
        return false;
    *credits = args_int(&ctl->args, "--credits", number_of(row, "credits"));
    return true;
}

static bool account_create(struct tollctl *ctl, cJSON *answer, struct err *err)
{
    char account[UUID_TEXT_BYTES];
    struct uuid id = uuid_new();
    int64_t credits;

    uuid_format(account, &id);
    if (!sql_begin(ctl->sql, SQL_WRITE, err) || !find_grant(ctl, &credits, err))
        return false;
    scoped(mem_free) char *detail =
        str_format("%s, %" PRId64 " credits", args_text(&ctl->args, "NAME"), credits);
    json_str(answer, "account", account);
    json_int(answer, "credits", credits);
    return insert_account(ctl, account, err) && grant_signup(ctl, account, credits, err) &&
           tollctl_audit(ctl->sql, ctl->command->name, account, detail, err) &&
           sql_commit(ctl->sql, err);
}

/* ---- account show, list ---- */

static bool account_show(struct tollctl *ctl, cJSON *answer, struct err *err)
{
    const char *account = args_text(&ctl->args, "ACCOUNT");
    struct sql_params id = { 1, { account } };

    return sql_begin(ctl->sql, SQL_SNAPSHOT, err) && tollctl_find_account(ctl->sql, account, err) &&
           sql_row(ctl->sql,
                   "select a.account_id as account, a.name, a.state, a.limits_off, a.created_at,"
                   "       b.posted, b.held, b.posted - b.held as available, b.granted,"
                   "       b.purchased, b.used, a.withheld, p.name as plan, a.plan_at as plan_since"
                   "  from account a join account_balance b using (account_id)"
                   "  left join plan p using (plan_id)"
                   " where a.account_id = $1",
                   id, answer, err) &&
           token_rows(ctl->sql, account, json_list(answer, "tokens"), err) &&
           ledger_rows(ctl->sql, account, "10", json_list(answer, "entries"), err);
}

#define LISTED                                                              \
    " where ($1::text is null or position(lower($1) in lower(a.name)) > 0)" \
    "   and ($2::text is null or p.name = $2)"

static bool account_list(struct tollctl *ctl, cJSON *answer, struct err *err)
{
    const char *part = args_text(&ctl->args, "--name");
    const char *limit = args_text(&ctl->args, "--limit");
    const char *plan = args_text(&ctl->args, "--plan");
    scoped(json_free) cJSON *total = json_object();
    cJSON *accounts = json_list(answer, "accounts");

    if (!sql_begin(ctl->sql, SQL_SNAPSHOT, err) ||
        !sql_rows(ctl->sql,
                  "select a.account_id as account, a.name, a.state, a.limits_off,"
                  "       b.posted - b.held as available, b.held, a.created_at, p.name as plan"
                  "  from account a join account_balance b using (account_id)"
                  "  left join plan p using (plan_id)" LISTED
                  " order by a.created_at desc, a.account_id limit $3",
                  (struct sql_params){ 3, { part, plan, limit ? limit : "100" } }, accounts, err) ||
        !sql_row(ctl->sql,
                 "select count(*) as total from account a left join plan p using (plan_id)" LISTED,
                 (struct sql_params){ 2, { part, plan } }, total, err))
        return false;
    json_add(answer, "total", json_take(total, "total"));
    if (number_of(answer, "total") > (int64_t)json_size(accounts))
        ctl->remark = "There are more accounts: see --limit and --name.";
    return true;
}

/* ---- account suspend, resume, close ---- */

static const struct transition {
    const char *command;
    const char *state;
} transitions[] = {
    { "account suspend", "suspended" },
    { "account resume", "active" },
    { "account close", "closed" },
};

static bool set_state(struct tollctl *ctl, const char *account, const char *state, struct err *err)
{
    return sql_run(ctl->sql, "update account set state = $2 where account_id = $1",
                   (struct sql_params){ 2, { account, state } }, err) &&
           tollctl_audit(ctl->sql, ctl->command->name, account, args_text(&ctl->args, "--reason"),
                         err);
}

/* A closed account stays closed. A repeated change succeeds and writes nothing. */
static bool account_change_state(struct tollctl *ctl, cJSON *answer, struct err *err)
{
    const char *account = args_text(&ctl->args, "ACCOUNT");
    const char *state = TABLE_FIND(transitions, ctl->command->name)->state;
    scoped(json_free) cJSON *snapshot = json_object();

    if (!sql_begin(ctl->sql, SQL_WRITE, err) ||
        !tollctl_lock_account(ctl->sql, account, snapshot, err))
        return false;
    const char *before = json_text(snapshot, "/state");
    bool is_changed = strcmp(before, state) != 0;
    if (is_changed && strcmp(before, "closed") == 0)
        return err_set(err, ERR_ACCOUNT_CLOSED, "account %s is closed for good; create a new one",
                       account);
    json_str(answer, "account", account);
    json_str(answer, "state", state);
    json_bool(answer, "changed", is_changed);
    return (!is_changed || set_state(ctl, account, state, err)) && sql_commit(ctl->sql, err);
}

/* ---- account grant ---- */

/* True: this reference was used before. Then the amount must be the same. */
static bool is_repeated(struct tollctl *ctl, const char *account, const char *reference,
                        int64_t credits, bool *repeated, struct err *err)
{
    scoped(json_free) cJSON *entry = json_object();
    if (!sql_row(ctl->sql,
                 "select amount from ledger_entry"
                 " where account_id = $1 and kind = 5 and reference = $2",
                 (struct sql_params){ 2, { account, reference } }, entry, err))
        return false;
    *repeated = json_get(entry, "amount") != NULL;
    int64_t amount = number_of(entry, "amount");
    return !*repeated || amount == credits ||
           err_set(err, ERR_CONFLICTING_FIELDS,
                   "reference %s was already used for an adjustment of %" PRId64
                   " credits; use another one",
                   reference, amount);
}

static bool adjust(struct tollctl *ctl, const char *account, const char *reference, int64_t credits,
                   int64_t available, struct err *err)
{
    const char *note = args_text(&ctl->args, "--note");
    char amount[24];
    if (available + credits < 0)
        return err_set(err, ERR_INSUFFICIENT_CREDITS,
                       "the account has %" PRId64 " credits available, so %" PRId64
                       " cannot be taken; take %" PRId64 " or less",
                       available, -credits, available);
    scoped(mem_free) char *detail =
        str_format("%" PRId64 " credits, reference %s: %s", credits, reference, note);
    return sql_run(
               ctl->sql, "select ledger_credit($1, 5::smallint, $2, $3, $4)",
               (struct sql_params){ 4, { account, number_text(credits, amount), reference, note } },
               err) &&
           tollctl_audit(ctl->sql, ctl->command->name, account, detail, err);
}

static bool account_grant(struct tollctl *ctl, cJSON *answer, struct err *err)
{
    const char *account = args_text(&ctl->args, "ACCOUNT");
    const char *reference = args_text(&ctl->args, "--reference");
    int64_t credits = args_int(&ctl->args, "CREDITS", 0);
    scoped(json_free) cJSON *snapshot = json_object();
    char fresh[UUID_TEXT_BYTES];
    bool repeated;

    if (credits == 0) {
        ctl->status = EX_USAGE;
        return err_set(err, ERR_INVALID_VALUE, "CREDITS must not be 0");
    }
    if (!reference) {
        struct uuid id = uuid_new();
        uuid_format(fresh, &id);
        reference = fresh;
    }
    if (!sql_begin(ctl->sql, SQL_WRITE, err) ||
        !tollctl_lock_account(ctl->sql, account, snapshot, err) ||
        !is_repeated(ctl, account, reference, credits, &repeated, err))
        return false;
    int64_t available = number_of(snapshot, "available");
    scoped(json_free) cJSON *after = json_object();
    if ((!repeated && !adjust(ctl, account, reference, credits, available, err)) ||
        !tollctl_lock_account(ctl->sql, account, after, err))
        return false;
    json_str(answer, "account", account);
    json_str(answer, "reference", reference);
    json_int(answer, "amount", credits);
    json_int(answer, "available", number_of(after, "available")); /* after its debt is deducted */
    json_bool(answer, "changed", !repeated);
    return sql_commit(ctl->sql, err);
}

/* ---- account limits ---- */

static bool account_limits(struct tollctl *ctl, cJSON *answer, struct err *err)
{
    const char *account = args_text(&ctl->args, "ACCOUNT");
    bool on = args_has(&ctl->args, "--on");
    scoped(json_free) cJSON *snapshot = json_object();

    if (on == args_has(&ctl->args, "--off")) {
        ctl->status = EX_USAGE;
        return err_set(err, ERR_INVALID_VALUE, "give either --on or --off");
    }
    if (!sql_begin(ctl->sql, SQL_WRITE, err) ||
        !tollctl_lock_account(ctl->sql, account, snapshot, err))
        return false;
    bool is_changed = json_is(json_get(snapshot, "limits_off"), cJSON_True) == on;
    json_str(answer, "account", account);
    json_bool(answer, "limits_off", !on);
    json_bool(answer, "changed", is_changed);
    if (is_changed &&
        (!sql_run(ctl->sql, "update account set limits_off = $2 where account_id = $1",
                  (struct sql_params){ 2, { account, on ? "false" : "true" } }, err) ||
         !tollctl_audit(ctl->sql, ctl->command->name, account, on ? "on" : "off", err)))
        return false;
    return sql_commit(ctl->sql, err);
}

/* clang-format off */
const struct command account_commands[] = {
    { "account create", "Open an account.", account_create, .args = {
        { "NAME", "display name, 1 to 200 characters", .min = 1, .max = 200 },
        { "--credits", "initial credits; default: the sign-up grant", "N", ARG_INT, 0, CREDITS_MAX },
        { "--limits-off", "no limits on calls per minute and day", .type = ARG_FLAG } } },
    { "account show", "Show an account, its tokens and its last entries.", account_show, .args = {
        { "ACCOUNT", "its id", .type = ARG_UUID } } },
    { "account list", "List accounts, newest first.", account_list, .args = {
        { "--name", "only accounts whose name contains this, ignoring case", "TEXT", .min = 1, .max = 200 },
        { "--plan", "only accounts with this plan", "PLAN", .min = 1, .max = 40 },
        { "--limit", "the most rows; default 100", "N", ARG_INT, 1, 100000 } } },
    { "account suspend", "Reject the account's calls until it is resumed.", account_change_state, .args = {
        { "ACCOUNT", "its id", .type = ARG_UUID },
        { "--reason", "for the audit log", "TEXT", .min = 1, .max = 500 } } },
    { "account resume", "Accept calls of a suspended account again.", account_change_state, .args = {
        { "ACCOUNT", "its id", .type = ARG_UUID },
        { "--reason", "for the audit log", "TEXT", .min = 1, .max = 500 } } },
    { "account close", "Reject the account's calls for good.", account_change_state, .args = {
        { "ACCOUNT", "its id", .type = ARG_UUID },
        { "--reason", "for the audit log", "TEXT", .min = 1, .max = 500 } } },
    { "account grant", "Add credits, or take some back.", account_grant, .args = {
        { "ACCOUNT", "its id", .type = ARG_UUID },
        { "CREDITS", "how many; a negative number takes back, at most the available credits",
          .type = ARG_INT, .min = -CREDITS_MAX, .max = CREDITS_MAX },
        { "--note", "the reason, visible to the account's owner", "TEXT", .min = 1, .max = 500, .is_required = true },
        { "--reference", "an id that makes retries safe: the grant happens once", "UUID", ARG_UUID } } },
    { "account export", "Print all data about an account and its member as JSON, as the portal's export.", export_account, .args = {
        { "ACCOUNT", "its id", .type = ARG_UUID } } },
    { "account limits", "Switch rate limits on or off.", account_limits, .args = {
        { "ACCOUNT", "its id", .type = ARG_UUID },
        { "--on", "the ordinary limits", .type = ARG_FLAG },
        { "--off", "for internal accounts and benchmarks", .type = ARG_FLAG } } },
    { 0 },
};
/* clang-format on */
