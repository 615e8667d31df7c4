/* gateway/tollctl/offers/plan.c - plans: sets of limits that accounts can have instead of those of
 * limits.yaml (gateway/sql/010-plans.sql). */
#include <string.h>

#include "base/mem.h"
#include "db/sql.h"
#include "gateway/tollctl/rows.h"
#include "gateway/tollctl/tollctl.h"
#include "svc/limits.h"

enum { PLAN_MAX_BYTES = 64 << 10 };

/* ---- plan apply ---- */

/* Write one plan, and add what changes to the list: {plan, setting, before, after}. */
static bool write_plan(struct tollctl *ctl, const cJSON *plan, cJSON *changes, struct err *err)
{
    scoped(buf_free) struct buf text = BUF(PLAN_MAX_BYTES);
    size_t before = json_size(changes);
    if (!json_print(plan, &text))
        return err_set(err, ERR_INVALID_VALUE, "plan %s is too large", plan->string);
    if (!sql_rows(ctl->sql,
                  "select $1 as plan, setting, before, after from plan_write($1, $2::jsonb)",
                  (struct sql_params){ 2, { plan->string, buf_str(&text) } }, changes, err))
        return false;
    scoped(mem_free) char *detail = str_format("plan %s", plan->string);
    return json_size(changes) == before ||
           tollctl_audit(ctl->sql, ctl->command->name, NULL, detail, err);
}

/* A dry run does the same and takes it back. */
static bool plan_apply(struct tollctl *ctl, cJSON *answer, struct err *err)
{
    bool is_dry = args_has(&ctl->args, "--dry-run");
    scoped(json_free) cJSON *plans = NULL;
    const cJSON *plan;
    if (!plans_load(args_text(&ctl->args, "FILE"), &plans, err) ||
        !sql_begin(ctl->sql, SQL_WRITE, err) ||
        !sql_run(ctl->sql, "select plan_lock()", NO_PARAMS, err))
        return false;
    cJSON *changes = json_list(answer, "changes");
    cJSON_ArrayForEach(plan, plans)
        if (!write_plan(ctl, plan, changes, err))
            return false;
    json_bool(answer, "changed", !is_dry && json_size(changes) > 0);
    ctl->remark = is_dry ? "Nothing was written." : "Plans that are not in the file stay.";
    return is_dry || sql_commit(ctl->sql, err);
}

/* ---- plan list, show, remove ---- */

static bool plan_list(struct tollctl *ctl, cJSON *answer, struct err *err)
{
    return sql_rows(
        ctl->sql,
        "select p.name as plan, p.global_per_minute, p.address_exempt, p.is_public,"
        "       (select count(*) from account a where a.plan_id = p.plan_id) as accounts"
        "  from plan p order by p.global_per_minute, p.name",
        NO_PARAMS, json_list(answer, "plans"), err);
}

static bool fail_unknown_plan(const char *name, struct err *err)
{
    return err_set(err, ERR_NOT_FOUND, "unknown plan %.60s; see `tollctl plan list`", name);
}

static bool plan_show(struct tollctl *ctl, cJSON *answer, struct err *err)
{
    const char *name = args_text(&ctl->args, "PLAN");
    json_str(answer, "plan", name);
    cJSON *settings = json_list(answer, "settings");
    return sql_rows(ctl->sql, "select setting, value from plan_settings($1)",
                    (struct sql_params){ 1, { name } }, settings, err) &&
           (json_size(settings) > 0 || fail_unknown_plan(name, err));
}

static bool plan_remove(struct tollctl *ctl, cJSON *answer, struct err *err)
{
    const char *name = args_text(&ctl->args, "PLAN");
    scoped(mem_free) char *detail = str_format("plan %s", name);
    scoped(json_free) cJSON *row = json_object();
    if (!sql_begin(ctl->sql, SQL_WRITE, err) ||
        !sql_row(ctl->sql, "select plan_remove($1) as users", (struct sql_params){ 1, { name } },
                 row, err))
        return false;
    if (!json_is(json_get(row, "users"), cJSON_Number))
        return fail_unknown_plan(name, err);
    if (json_integer(row, "users") > 0)
        return err_set(err, ERR_CONFLICTING_FIELDS,
                       "%lld accounts have the plan %s; give them another one first, see "
                       "`tollctl account list --plan %s`",
                       (long long)json_integer(row, "users"), name, name);
    json_str(answer, "plan", name);
    json_bool(answer, "changed", true);
    return tollctl_audit(ctl->sql, ctl->command->name, NULL, detail, err) &&
           sql_commit(ctl->sql, err);
}

/* ---- account plan ---- */

static bool find_plan(struct tollctl *ctl, const char *name, struct err *err)
{
    scoped(json_free) cJSON *row = json_object();
    return sql_row(ctl->sql, "select exists (select from plan where name = $1) as is_known",
                   (struct sql_params){ 1, { name } }, row, err) &&
           (json_is(json_get(row, "is_known"), cJSON_True) || fail_unknown_plan(name, err));
}

static bool audit_change(struct tollctl *ctl, const char *account, const char *before,
                         const char *plan, struct err *err)
{
    scoped(mem_free) char *detail =
        str_format("%s, before: %s: %s", plan ? plan : "none", before ? before : "none",
                   args_text(&ctl->args, "--note"));
    return tollctl_audit(ctl->sql, ctl->command->name, account, detail, err);
}

static bool account_plan(struct tollctl *ctl, cJSON *answer, struct err *err)
{
    const char *account = args_text(&ctl->args, "ACCOUNT");
    const char *named = args_text(&ctl->args, "PLAN");
    const char *plan = strcmp(named, "none") == 0 ? NULL : named;
    scoped(json_free) cJSON *row = json_object();

    if (!sql_begin(ctl->sql, SQL_WRITE, err) || !tollctl_find_account(ctl->sql, account, err) ||
        (plan && !find_plan(ctl, plan, err)) ||
        !sql_row(ctl->sql, "select plan_assign($1, $2) as before",
                 (struct sql_params){ 2, { account, plan } }, row, err))
        return false;
    const char *before = json_text(row, "/before");
    bool is_changed = strcmp(before ? before : "", plan ? plan : "") != 0;
    json_str(answer, "account", account);
    json_str(answer, "plan", plan);
    json_str(answer, "before", before);
    json_bool(answer, "changed", is_changed);
    return (!is_changed || audit_change(ctl, account, before, plan, err)) &&
           sql_commit(ctl->sql, err);
}

/* clang-format off */
const struct command plan_commands[] = {
    { "plan apply", "Create and change plans as a file says.", plan_apply, .args = {
        { "FILE", "YAML, as docs/operate/plans.md describes it", .type = ARG_PATH },
        { "--dry-run", "print what would change, and write nothing", .type = ARG_FLAG } } },
    { "plan list", "List the plans.", plan_list },
    { "plan show", "Show the limits of a plan.", plan_show, .args = {
        { "PLAN", "its name", .min = 1, .max = 40 } } },
    { "plan remove", "Delete a plan that no account has.", plan_remove, .args = {
        { "PLAN", "its name", .min = 1, .max = 40 } } },
    { "account plan", "Give an account a plan, or the standard limits again.", account_plan, .args = {
        { "ACCOUNT", "its id", .type = ARG_UUID },
        { "PLAN", "see `tollctl plan list`; none: the standard limits", .min = 1, .max = 40 },
        { "--note", "the reason, for the audit log", "TEXT", .min = 1, .max = 500, .is_required = true } } },
    { 0 },
};
/* clang-format on */
