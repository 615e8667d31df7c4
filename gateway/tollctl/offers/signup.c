/* gateway/tollctl/offers/signup.c - the sign-up grant and its daily budgets, which keep one actor
 * from collecting grants with many accounts. */
#include <inttypes.h>
#include <stdio.h>

#include "base/mem.h"
#include "db/sql.h"
#include "gateway/tollctl/rows.h"
#include "gateway/tollctl/tollctl.h"

enum { SHOWN_MAX = 20 };

#define POLICY                                                                            \
    "select grant_credits as credits, of_mail_host as mail_host, of_network as network, " \
    "in_all from signup_policy"

/* ---- the policy ---- */

static bool signup_show(struct tollctl *ctl, cJSON *answer, struct err *err)
{
    char limit[24];
    snprintf(limit, sizeof(limit), "%d", SHOWN_MAX);
    return sql_begin(ctl->sql, SQL_SNAPSHOT, err) &&
           sql_row(ctl->sql, POLICY, NO_PARAMS, answer, err) &&
           sql_rows(ctl->sql,
                    "select key, grants from signup_budget where day = utc_day(ledger_now())"
                    " order by grants desc, key limit $1",
                    (struct sql_params){ 1, { limit } }, json_list(answer, "today"), err);
}

static bool signup_set(struct tollctl *ctl, cJSON *answer, struct err *err)
{
    ctl->remark = "The portal shows it now; GET /v1/tools shows it after SIGHUP to the gateways.";
    return sql_begin(ctl->sql, SQL_WRITE, err) &&
           sql_run(ctl->sql,
                   "update signup_policy"
                   "   set grant_credits = coalesce($1::integer, grant_credits),"
                   "       of_mail_host = coalesce($2::integer, of_mail_host),"
                   "       of_network = coalesce($3::integer, of_network),"
                   "       in_all = coalesce($4::integer, in_all)",
                   (struct sql_params){
                       4,
                       { args_text(&ctl->args, "--credits"), args_text(&ctl->args, "--mail-host"),
                         args_text(&ctl->args, "--network"), args_text(&ctl->args, "--in-all") } },
                   err) &&
           sql_row(ctl->sql, POLICY, NO_PARAMS, answer, err) &&
           tollctl_audit(ctl->sql, ctl->command->name, NULL, NULL, err) &&
           sql_commit(ctl->sql, err);
}

/* ---- withheld grants ---- */

static bool signup_grant(struct tollctl *ctl, cJSON *answer, struct err *err)
{
    const char *account = args_text(&ctl->args, "ACCOUNT");
    scoped(json_free) cJSON *snapshot = json_object();
    if (!sql_begin(ctl->sql, SQL_WRITE, err) ||
        !tollctl_lock_account(ctl->sql, account, snapshot, err) ||
        !sql_row(ctl->sql, "select $1::uuid as account, signup_grant($1) as credits",
                 (struct sql_params){ 1, { account } }, answer, err))
        return false;
    int64_t credits = (int64_t)json_get(answer, "credits")->valuedouble;
    scoped(mem_free) char *detail = str_format("%" PRId64 " credits", credits);
    json_bool(answer, "changed", credits > 0);
    return (credits == 0 || tollctl_audit(ctl->sql, ctl->command->name, account, detail, err)) &&
           sql_commit(ctl->sql, err);
}

/* clang-format off */
const struct command signup_commands[] = {
    { "signup show", "Show the sign-up grant, its budgets, and the most used budgets of today.", signup_show },
    { "signup set", "Change the sign-up grant or its budgets; others stay unchanged.", signup_set, .args = {
        { "--credits", "of a new account", "CREDITS", ARG_INT, 0, 10000 },
        { "--mail-host", "grants a day per mail domain, and per mail server", "N", ARG_INT, 0, 1000000 },
        { "--network", "grants a day per IPv4 /24 or IPv6 /48", "N", ARG_INT, 0, 1000000 },
        { "--in-all", "accounts a day", "N", ARG_INT, 0, 1000000 } } },
    { "signup grant", "Give an account the sign-up grant that an exhausted budget withheld.", signup_grant, .args = {
        { "ACCOUNT", "its id", .type = ARG_UUID } } },
    { 0 },
};
/* clang-format on */
