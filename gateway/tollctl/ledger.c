/* gateway/tollctl/ledger.c - look at money: entries, packs, the audit log, and the proof. */
#include "gateway/tollctl/ledger.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/os/clock.h"
#include "gateway/tollctl/out.h"
#include "gateway/tollctl/rows.h"
#include "gateway/tollctl/tollctl.h"

/* ---- ledger show, pack list, audit list ---- */

bool ledger_rows(struct sql *sql, const char *account, const char *limit, cJSON *list,
                 struct err *err)
{
    return sql_rows(sql,
                    "select e.seq, e.at,"
                    "       (array['signup_grant', 'purchase', 'usage', 'refund', 'adjustment'])"
                    "           [e.kind] as kind,"
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
                       "the account has no call %s; what is forgotten after 2 days is given back"
                       " by `tollctl account grant`",
                       id);
    scoped(mem_free) char *detail = str_format("call %s: %s", id, outcome);
    json_str(answer, "account", account);
    json_str(answer, "id", id);
    json_str(answer, "outcome", outcome);
    ctl->remark = strcmp(outcome, "captured") == 0
                      ? "It stays charged: its answer was given out for its Idempotency-Key."
                      : "Nothing is charged for it.";
    return tollctl_audit(ctl->sql, ctl->command->name, account, detail, err) &&
           sql_commit(ctl->sql, err);
}

static bool pack_list(struct tollctl *ctl, cJSON *answer, struct err *err)
{
    return sql_rows(ctl->sql,
                    "select pack_id as pack, credits, price_cents, currency from pack"
                    " order by pack_id",
                    NO_PARAMS, json_list(answer, "packs"), err);
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

/* ---- ledger new-secret ---- */

static bool ledger_new_secret(struct tollctl *ctl, cJSON *answer, struct err *err)
{
    ctl->remark = "The next gateway that starts brings the secret that all must have from then on.";
    json_bool(answer, "changed", true);
    return sql_begin(ctl->sql, SQL_WRITE, err) &&
           sql_run(ctl->sql, "delete from ledger_secret", NO_PARAMS, err) &&
           tollctl_audit(ctl->sql, ctl->command->name, NULL, NULL, err) &&
           sql_commit(ctl->sql, err);
}

/* ---- verify ---- */

/* In the order of ledger_verify() in gateway/sql/003-verify.sql, which counts from 1. */
static const char *const invariants[] = {
    "nothing is below zero, nothing is held that is not there",
    "each balance is the sum of its entries",
    "each entry continues the one before it",
    "what is held is the sum of the open holds",
    "each captured hold has its one usage entry, others have none",
    "each call is charged once and refunded at most once",
    "only the ledger's functions write money, and entries cannot be changed",
    "each payment is credited once",
    "each account has at most one sign-up grant",
};

enum { FINDINGS_MAX = 100 /* listed of one invariant; all are counted */ };

static bool find_breaks(struct tollctl *ctl, size_t number, cJSON *findings, int64_t *count,
                        struct err *err)
{
    char text[24];
    char limit[24];
    scoped(json_free) cJSON *total = json_object();
    const char *account = args_text(&ctl->args, "--account");

    snprintf(text, sizeof(text), "%zu", number);
    snprintf(limit, sizeof(limit), "%d", FINDINGS_MAX);
    if (!sql_row(ctl->sql,
                 "select count(*) as count, json_agg(json_build_object('account', account_id,"
                 "       'detail', detail)) filter (where n <= $3) as findings"
                 "  from (select *, row_number() over (order by account_id nulls first) as n"
                 "          from ledger_verify($1)"
                 "         where $2::uuid is null or account_id is null or account_id = $2) v",
                 (struct sql_params){ 3, { text, account, limit } }, total, err))
        return false;
    *count = (int64_t)json_get(total, "count")->valuedouble;
    const cJSON *finding;
    cJSON_ArrayForEach(finding, json_get(total, "findings"))
        json_item_add(findings, json_copy(finding));
    return true;
}

static void tell(const cJSON *check)
{
    scoped(buf_free) struct buf text = BUF(1 << 20);
    const cJSON *findings = json_get(check, "findings");
    int64_t count = (int64_t)json_get(check, "count")->valuedouble;
    printf("%-6s %6" PRId64 " ms\n", count == 0 ? "ok" : "FAILED",
           (int64_t)json_get(check, "ms")->valuedouble);
    if (count == 0)
        return;
    scoped(json_free) cJSON *answer = json_object();
    json_add(answer, "findings", json_copy(findings));
    out_answer(answer, &text);
    fputs(buf_str(&text), stdout);
    if (count > FINDINGS_MAX)
        printf("and %" PRId64 " more\n", count - FINDINGS_MAX);
}

static bool verify_one(struct tollctl *ctl, size_t number, cJSON *checks, struct err *err)
{
    const char *name = invariants[number - 1];
    cJSON *check = json_item(checks);
    int64_t started_ms = clock_ms();
    int64_t count;

    if (!ctl->is_json) { /* told before the work: on large ledgers each one takes a while */
        printf("%zu  %-62s ", number, name);
        fflush(stdout);
    }
    json_int(check, "invariant", (int64_t)number);
    json_str(check, "name", name);
    cJSON *findings = json_list(check, "findings");
    if (!find_breaks(ctl, number, findings, &count, err))
        return false;
    json_bool(check, "ok", count == 0);
    json_int(check, "count", count);
    json_int(check, "ms", clock_ms() - started_ms);
    if (count > 0)
        ctl->status = EXIT_FAILURE;
    if (!ctl->is_json)
        tell(check);
    return true;
}

static bool verify(struct tollctl *ctl, cJSON *answer, struct err *err)
{
    cJSON *checks = json_list(answer, "checks");
    if (!sql_begin(ctl->sql, SQL_SNAPSHOT, err))
        return false;
    for (size_t i = 1; i <= countof(invariants); i++)
        if (!verify_one(ctl, i, checks, err))
            return false;
    json_bool(answer, "ok", ctl->status == EXIT_SUCCESS);
    ctl->is_silent = !ctl->is_json;
    return true;
}

/* clang-format off */
const struct command ledger_commands[] = {
    { "ledger show", "Show an account's entries, newest first.", ledger_show, .args = {
        { "ACCOUNT", "whose they are", .type = ARG_UUID },
        { "--limit", "at most so many; else 20", "N", ARG_INT, 1, 100000 } } },
    { "ledger settle", "End a call whose outcome is unknown: what it holds or has cost goes back.", ledger_settle, .args = {
        { "ACCOUNT", "whose it was", .type = ARG_UUID },
        { "ID", "the call's, as the gateway's log has it", .type = ARG_UUID } } },
    { "ledger new-secret", "Let the gateways have a new ledger.secret; keys of the old are forgotten.", ledger_new_secret },
    { "verify", "Prove that the ledger adds up, all in one snapshot; exit 1 if not.", verify, .args = {
        { "--account", "report this account's findings only", "ACCOUNT", ARG_UUID } } },
    { "pack list", "List the packs of credits on sale.", pack_list },
    { "audit list", "List what operators changed, newest first.", audit_list, .args = {
        { "--account", "only what concerns this one", "ACCOUNT", ARG_UUID },
        { "--limit", "at most so many; else 20", "N", ARG_INT, 1, 100000 } } },
    { 0 },
};
/* clang-format on */
