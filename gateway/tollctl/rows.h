/* gateway/tollctl/rows.h - rows that several commands read or write. */
#pragma once

#include "db/sql.h"

/* The name of this process's user, for the audit log. */
const char *tollctl_user(void);

/* Write an audit entry: this process's user did the action. account and detail may be NULL. Call it
 * in the transaction of the change. */
bool tollctl_audit(struct sql *sql, const char *action, const char *account, const char *detail,
                   struct err *err) must_check;

/* Lock the account's balance first, like every writer; then add account, name, state, limits_off,
 * posted, held and available to snapshot. Errors: ERR_NOT_FOUND. */
bool tollctl_lock_account(struct sql *sql, const char *account, cJSON *snapshot,
                          struct err *err) must_check;

/* Errors: ERR_NOT_FOUND for an unknown account. */
bool tollctl_find_account(struct sql *sql, const char *account, struct err *err) must_check;
