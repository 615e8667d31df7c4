/* gateway/tollctl/rows.c - the audit log, and accounts by id. */
#include "gateway/tollctl/rows.h"

#include <pwd.h>
#include <unistd.h>

const char *tollctl_user(void)
{
    const struct passwd *user = getpwuid(getuid());
    return user ? user->pw_name : "unknown";
}

bool tollctl_audit(struct sql *sql, const char *action, const char *account, const char *detail,
                   struct err *err)
{
    return sql_run(sql,
                   "insert into audit_log (actor, action, account_id, detail)"
                   " values ($1, $2, $3, $4)",
                   (struct sql_params){ 4, { tollctl_user(), action, account, detail } }, err);
}

static bool fail_unknown_account(const char *account, struct err *err)
{
    return err_set(err, ERR_NOT_FOUND, "unknown account %s; see `tollctl account list`", account);
}

bool tollctl_lock_account(struct sql *sql, const char *account, cJSON *snapshot, struct err *err)
{
    struct sql_params id = { 1, { account } };
    if (!sql_run(sql, "select account_lock($1)", id, err) ||
        !sql_row(sql,
                 "select a.account_id as account, a.name, a.state, a.limits_off, a.delete_at, "
                 "b.posted, b.held,"
                 "       b.posted - b.held as available"
                 "  from account a join account_balance b using (account_id)"
                 " where a.account_id = $1",
                 id, snapshot, err))
        return false;
    return json_get(snapshot, "account") || fail_unknown_account(account, err);
}

bool tollctl_find_account(struct sql *sql, const char *account, struct err *err)
{
    scoped(json_free) cJSON *found = json_object();
    if (!sql_row(sql, "select state from account where account_id = $1",
                 (struct sql_params){ 1, { account } }, found, err))
        return false;
    return json_get(found, "state") || fail_unknown_account(account, err);
}
