/* gateway/tollctl/rows.h - rows that several commands read or write. */
#pragma once

#include "db/sql.h"

/* Who runs this process, as the audit names him. */
const char *tollctl_user(void);

/* Write a row of audit_log: who (the user of this process) did what. account and detail may be
 * NULL. Belongs in the transaction of what it tells. */
bool tollctl_audit(struct sql *sql, const char *action, const char *account, const char *detail,
                   struct err *err) must_check;

/* Lock the account's balance, as every writer does first, then add account, name, state,
 * limits_off, posted, held and available to standing. Errors: ERR_NOT_FOUND. */
bool tollctl_lock_account(struct sql *sql, const char *account, cJSON *snapshot,
                          struct err *err) must_check;

/* ERR_NOT_FOUND unless there is such an account. */
bool tollctl_find_account(struct sql *sql, const char *account, struct err *err) must_check;
