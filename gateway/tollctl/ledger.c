/* gateway/tollctl/ledger.c - ledger entries, the audit log, unknown outcomes. */
#include "gateway/tollctl/ledger.h"

#include <inttypes.h>
#include <string.h>

#include "base/mem.h"
#include "gateway/tollctl/evidence/publish.h"
#include "gateway/tollctl/rows.h"
#include "gateway/tollctl/tollctl.h"

/* ---- ledger show, audit list ---- */

bool ledger_rows(struct sql *sql, const char *account, const char *limit, cJSON *list,
                 struct err *err)
{
    return sql_rows(sql,
                    "select e.seq, e.at,"
                    "       (array['signup_grant', 'purchase', 'usage', 'refund', 'adjustment',"
                    "              'payment_reversed', 'reversal_undone'])[e.kind] as kind,"
                    "       e.amount, e.balance_after, t.name as tool, e.reference, e.note"
                    "  from ledger_entry e left join tool t using (tool_id)"
                    " where e.account_id = $1 order by e.seq desc limit $2",
                    (struct sql_params){ 2, { account, limit } }, list, err);
}

static bool ledger_show(struct tollctl *ctl, cJSON *answer, struct err *err)
{
    const char *account = args_text(&ctl->args, "ACCOUNT");
    const char *limit = args_text(&ctl->args, "--limit");
    json_str(answer, "account", account);
    return tollctl_find_account(ctl->sql, account, err) &&
           ledger_rows(ctl->sql, account, limit ? limit : "20", json_list(answer, "entries"), err);
}

/* ---- ledger unknown, ledger settle ---- */

static bool ledger_unknown(struct tollctl *ctl, cJSON *answer, struct err *err)
{
    const char *limit = args_text(&ctl->args, "--limit");
    const char *all = args_has(&ctl->args, "--all") ? "true" : "false";
    ctl->remark =
        "Gateways that run settle their own calls within seconds. Settle a call that stays"
        " open: tollctl ledger settle ACCOUNT ID";
    return sql_rows(
        ctl->sql,
        "select u.told_at as at, u.account_id as account, u.call_id as id,"
        "       t.name as tool, coalesce(h.token_id, e.token_id) as token,"
        "       coalesce(h.amount, -e.amount) as credits,"
        "       case u.is_charged when true then 'charged' when false then 'not_charged'"
        "           else 'open' end as outcome,"
        "       u.settled_at"
        "  from unknown_outcome u"
        "  left join hold h on h.account_id = u.account_id and h.hold_id = u.call_id"
        "  left join ledger_entry e on e.account_id = u.account_id"
        "       and e.reference = u.call_id and e.kind = 3"
        "  left join tool t on t.tool_id = coalesce(h.tool_id, e.tool_id)"
        " where u.settled_at is null or $1::boolean order by u.told_at desc limit $2",
        SQL_PARAMS(all, limit ? limit : "100"), json_list(answer, "calls"), err);
}

static bool record_settled(struct sql *sql, const char *account, const char *id,
                           const char *outcome, struct err *err)
{
    return sql_run(sql,
                   "update unknown_outcome set settled_at = now(), is_charged = $3 = 'captured'"
                   " where account_id = $1 and call_id = $2 and settled_at is null",
                   SQL_PARAMS(account, id, outcome), err);
}

/* End the call: sets ended or closed, or settled if it has no hold and was settled before, by a
 * gateway or this command. What it costs is then read from the ledger: a restore may have lost what
 * a gateway wrote of it. That is a second statement, which sees what a gateway wrote during the
 * first. */
static bool end_call(struct sql *sql, const char *account, const char *id, cJSON *call,
                     struct err *err)
{
    return sql_row(
               sql,
               "select ended, case when ended is null then ledger_close_call($1, $2) end as closed"
               "  from (select ledger_end_call($1, $2) as ended offset 0) e",
               SQL_PARAMS(account, id), call, err) &&
           sql_row(sql,
                   "select case when (select sum(e.amount) from ledger_entry e"
                   "                   where e.account_id = $1 and e.reference = $2"
                   "                     and e.kind in (3, 4)) < 0" /* charged, not refunded */
                   "       then 'captured' else 'voided' end as settled"
                   "  from unknown_outcome"
                   " where account_id = $1 and call_id = $2 and settled_at is not null",
                   SQL_PARAMS(account, id), call, err);
}

static bool ledger_settle(struct tollctl *ctl, cJSON *answer, struct err *err)
{
    const char *account = args_text(&ctl->args, "ACCOUNT");
    const char *id = args_text(&ctl->args, "ID");
    scoped(json_free) cJSON *call = json_object();

    if (!sql_begin(ctl->sql, SQL_WRITE, err) || !tollctl_find_account(ctl->sql, account, err) ||
        !end_call(ctl->sql, account, id, call, err))
        return false;
    const char *ended = json_text(call, "/ended");
    const char *closed = json_text(call, "/closed");
    const char *outcome = ended ? ended : closed ? closed : json_text(call, "/settled");
    if (!outcome)
        return err_set(err, ERR_NOT_FOUND,
                       "the account has no call %s; calls are kept for 2 days, refund an older one"
                       " with `tollctl account grant`",
                       id);
    scoped(mem_free) char *detail = str_format("call %s: %s", id, outcome);
    json_str(answer, "account", account);
    json_str(answer, "id", id);
    json_str(answer, "outcome", outcome);
    if (strcmp(outcome, "captured") != 0)
        ctl->remark = "It is not charged.";
    else if (ended)
        ctl->remark = "It stays charged: its response was replayed for its Idempotency-Key.";
    else if (closed)
        ctl->remark = "It stays charged, for it is older than 2 days. If the customer has no"
                      " response, return the credits: tollctl account grant";
    else
        ctl->remark = "It stays charged, as it was settled before.";
    return record_settled(ctl->sql, account, id, outcome, err) &&
           tollctl_audit(ctl->sql, ctl->command->name, account, detail, err) &&
           sql_commit(ctl->sql, err);
}

static bool audit_list(struct tollctl *ctl, cJSON *answer, struct err *err)
{
    const char *limit = args_text(&ctl->args, "--limit");
    return sql_rows(
        ctl->sql,
        "select at, actor, action, account_id as account, detail from audit_log"
        " where $1::uuid is null or account_id = $1 order by at desc limit $2",
        (struct sql_params){ 2, { args_text(&ctl->args, "--account"), limit ? limit : "20" } },
        json_list(answer, "actions"), err);
}

/* ---- ledger rotate-secret ---- */

static bool ledger_rotate_secret(struct tollctl *ctl, cJSON *answer, struct err *err)
{
    ctl->remark = "The next gateway that starts brings the secret that all must have from then on.";
    json_bool(answer, "changed", true);
    return sql_begin(ctl->sql, SQL_WRITE, err) &&
           sql_run(ctl->sql, "delete from ledger_secret", NO_PARAMS, err) &&
           tollctl_audit(ctl->sql, ctl->command->name, NULL, NULL, err) &&
           sql_commit(ctl->sql, err);
}

/* ---- ledger root ---- */

/* The file is already written, so a failure here changes nothing of it. */
static bool audit_cut(struct tollctl *ctl, const cJSON *answer, struct err *err)
{
    scoped(mem_free) char *detail =
        str_format("%s: %" PRId64 " accounts, %" PRId64 " entries lost", json_text(answer, "/time"),
                   json_integer(answer, "cut_accounts"), json_integer(answer, "lost_entries"));
    return tollctl_audit(ctl->sql, ctl->command->name, NULL, detail, err);
}

static bool ledger_root(struct tollctl *ctl, cJSON *answer, struct err *err)
{
    const struct publish_order order = {
        .key = args_text(&ctl->args, "--key"),
        .file = args_text(&ctl->args, "--to"),
        .after_restore = args_has(&ctl->args, "--after-restore"),
        .new_file = args_has(&ctl->args, "--new-file"),
    };
    return publish_root(ctl->sql, &order, answer, &ctl->remark, err) &&
           (!order.after_restore || audit_cut(ctl, answer, err));
}

/* clang-format off */
const struct command ledger_commands[] = {
    { "ledger show", "Show an account's entries, newest first.", ledger_show, .args = {
        { "ACCOUNT", "whose they are", .type = ARG_UUID },
        { "--limit", "the most rows; default 20", "N", ARG_INT, 1, 100000 } } },
    { "ledger unknown", "List calls whose clients got outcome_unknown and that are not settled.", ledger_unknown, .args = {
        { "--all", "also settled ones, of the last 90 days", .type = ARG_FLAG },
        { "--limit", "the most rows; default 100", "N", ARG_INT, 1, 100000 } } },
    { "ledger settle", "Settle a call whose outcome is unknown: its hold or charge is refunded.", ledger_settle, .args = {
        { "ACCOUNT", "whose it was", .type = ARG_UUID },
        { "ID", "the call's id: tollctl ledger unknown lists it", .type = ARG_UUID } } },
    { "ledger rotate-secret", "Accept a new ledger.secret; Idempotency-Keys of the old one are lost.", ledger_rotate_secret },
    { "ledger root", "Sign a root over the heads of all accounts, and append it to a file outside the database.", ledger_root, .args = {
        { "--key", "the Ed25519 private key, in PEM", "FILE", ARG_PATH, .is_required = true },
        { "--to", "the root file; the first run of all creates it", "FILE", ARG_PATH, .is_required = true },
        { "--new-file", "begin the file; the one before was moved away", .type = ARG_FLAG },
        { "--after-restore", "a backup was restored: record which entries were lost", .type = ARG_FLAG } } },
    { "audit list", "List changes by operators and members, newest first.", audit_list, .args = {
        { "--account", "only entries of this account", "ACCOUNT", ARG_UUID },
        { "--limit", "the most rows; default 20", "N", ARG_INT, 1, 100000 } } },
    { 0 },
};
/* clang-format on */
