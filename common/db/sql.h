/*
 * common/db/sql.h - statements for start-up and the command line: blocking, parameters as
 * text, rows as JSON.
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

/* Connect, for at most timeout_ms; password may be NULL. */
bool sql_open(const char *url, const char *password, int64_t timeout_ms, struct sql **sql,
              struct err *err) must_check;
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
    SQL_SNAPSHOT, /* REPEATABLE READ: all statements see the same moment; a standby can do it */
};

bool sql_begin(struct sql *sql, enum sql_mode mode, struct err *err) must_check;
bool sql_commit(struct sql *sql, struct err *err) must_check;

#endif
