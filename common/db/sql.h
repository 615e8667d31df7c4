/*
 * common/db/sql.h - tollctl's statements: blocking, parameters as text, rows as JSON.
 *
 * A row becomes an object whose members are named as the columns: integers are numbers, times
 * are RFC 3339 in UTC, uuid and text are texts, json is itself. Errors are for the operator:
 * ERR_LEDGER_UNAVAILABLE with the server's words, or with what to do for those that he can mend.
 */
#ifndef DB_SQL_H
#define DB_SQL_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "text/json.h"

struct sql;

/* Connect as the owner's role. password may be NULL. */
bool sql_open(const char *url, const char *password, struct sql **sql, struct err *err) must_check;
void sql_close(struct sql **sql);

/* The parameters of a statement, $1 first; a NULL text is SQL's null. */
struct sql_params {
    size_t count;
    const char *value[6];
};

#define NO_PARAMS ((struct sql_params){ 0 })

/* Run one statement. */
bool sql_run(struct sql *sql, const char *statement, struct sql_params params,
             struct err *err) must_check;

/* Run it and append its rows to list. */
bool sql_rows(struct sql *sql, const char *statement, struct sql_params params, cJSON *list,
              struct err *err) must_check;

/* Run it and add the columns of its one row to object; without a row object stays as it is. */
bool sql_row(struct sql *sql, const char *statement, struct sql_params params, cJSON *object,
             struct err *err) must_check;

/* Run statements separated by semicolons, within the transaction under way. */
bool sql_script(struct sql *sql, const char *script, struct err *err) must_check;

enum sql_mode {
    SQL_WRITE,    /* READ COMMITTED: a statement behind a lock sees what its holder committed */
    SQL_SNAPSHOT, /* REPEATABLE READ READ ONLY: all statements see the same moment */
};

bool sql_begin(struct sql *sql, enum sql_mode mode, struct err *err) must_check;
bool sql_commit(struct sql *sql, struct err *err) must_check;

/* Write a row of audit_log: who (the user of this process) did what. account and detail may be
 * NULL. Belongs in the transaction of what it tells. */
bool sql_audit(struct sql *sql, const char *action, const char *account, const char *detail,
               struct err *err) must_check;

/* Lock the account's balance, as every writer does first, then add account, name, state,
 * limits_off, posted, held and available to standing. Errors: ERR_NOT_FOUND. */
bool sql_lock_account(struct sql *sql, const char *account, cJSON *standing,
                      struct err *err) must_check;

/* ERR_NOT_FOUND unless there is such an account. */
bool sql_find_account(struct sql *sql, const char *account, struct err *err) must_check;

#endif
