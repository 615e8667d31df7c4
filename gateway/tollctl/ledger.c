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

/* ---- ledger settle ---- */

static bool ledger_settle(struct tollctl *ctl, cJSON *answer, struct err *err)
{
    const char *account = args_text(&ctl->args, "ACCOUNT");
    const char *id = args_text(&ctl->args, "ID");
    scoped(json_free) cJSON *call = json_object();

    if (!sql_begin(ctl->sql, SQL_WRITE, err) || !tollctl_find_account(ctl->sql, account, err) ||
        !sql_row(ctl->sql, "select ledger_end_call($1, $2) as outcome",
                 (struct sql_params){ 2, { account, id } }, call, err))
        return false;
    const char *outcome = json_text(call, "/outcome");
    if (!outcome)
        return err_set(err, ERR_NOT_FOUND,
                       "the account has no call %s; calls are kept for 2 days, refund an older one"
                       " with `tollctl account grant`",
                       id);
    scoped(mem_free) char *detail = str_format("call %s: %s", id, outcome);
    json_str(answer, "account", account);
    json_str(answer, "id", id);
    json_str(answer, "outcome", outcome);
    ctl->remark = strcmp(outcome, "captured") == 0
                      ? "It stays charged: its response was replayed for its Idempotency-Key."
                      : "It is not charged.";
    return tollctl_audit(ctl->sql, ctl->command->name, account, detail, err) &&
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
    { "ledger settle", "Settle a call whose outcome is unknown: its hold or charge is refunded.", ledger_settle, .args = {
        { "ACCOUNT", "whose it was", .type = ARG_UUID },
        { "ID", "the call's id in the gateway's log", .type = ARG_UUID } } },
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
