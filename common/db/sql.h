/*
 * common/db/sql.h - statements for start-up, pages and the command line: blocking, parameters as
 * text, rows as JSON.
 *
 * A row becomes an object with the columns' names: integers are numbers, times are RFC 3339 in UTC,
 * uuid and text are texts, bytea is hex, json stays JSON. Errors are for the operator:
 * ERR_LEDGER_UNAVAILABLE with the server's message, or with what to do if the operator can fix it.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "db/db.h"
#include "text/json.h"

struct sql;

/*
 * Connect, for at most timeout_ms per host of url; password may be NULL. For interactive use:
 * statements have no timeout, and wait ten seconds for a locked row.
 */
bool sql_open(const char *url, const char *password, int64_t timeout_ms, struct sql **sql,
              struct err *err) must_check;

/*
 * The same for callers with a deadline: each statement takes at most timeout_ms, and waits one
 * second for a locked row. A statement that takes longer closes the connection, its outcome is
 * unknown, and the next host of url is tried first.
 */
bool sql_open_brisk(const char *url, const char *password, int64_t timeout_ms, struct sql **sql,
                    struct err *err) must_check;

void sql_close(struct sql **sql);

/* The pool that lent it: for db/pool.h. */
struct pool;
void sql_set_pool(struct sql *sql, struct pool *pool);
struct pool *sql_pool(const struct sql *sql);

/*
 * Can it be reused? It is in no transaction, not broken or closed by the server, the server has not
 * rejected a statement because of the session (db_is_stale() in db/db.h), and no other host has
 * replaced it.
 */
bool sql_is_fit(struct sql *sql);

/* The parameters of a statement, $1 first; a NULL text is SQL's null. */
enum { SQL_PARAMS_MAX = 12 };
struct sql_params {
    size_t count;
    const char *value[SQL_PARAMS_MAX];
};

#define SQL_PARAMS(...)                                                                   \
    ((struct sql_params){ sizeof((const char *[]){ __VA_ARGS__ }) / sizeof(const char *), \
                          { __VA_ARGS__ } })
#define NO_PARAMS ((struct sql_params){ 0 })

/* Run one statement. */
bool sql_run(struct sql *sql, const char *statement, struct sql_params params,
             struct err *err) must_check;

/* Run it, and append its rows to list. */
bool sql_rows(struct sql *sql, const char *statement, struct sql_params params, cJSON *list,
              struct err *err) must_check;

/* Run it, and add the columns of its only row to object; without a row, object stays unchanged. */
bool sql_row(struct sql *sql, const char *statement, struct sql_params params, cJSON *object,
             struct err *err) must_check;

/* Run it, and return whether the only column of its row is true. */
bool sql_bool(struct sql *sql, const char *statement, struct sql_params params, bool *is_true,
              struct err *err) must_check;

/* For such an object: is a boolean column true? And a text, cut to the size of out; "" for null. */
bool sql_is(const cJSON *row, const char *column);
void sql_copy(const cJSON *row, const char *column, char *out, size_t bytes);

/*
 * Run it, and return its rows unconverted: for many rows, whose conversion to objects would take
 * longer than the query. Columns count from 0, and are read with db_int(), db_text() and
 * sql_write().
 */
bool sql_select(struct sql *sql, const char *statement, struct sql_params params,
                struct db_rows **rows, struct err *err) must_check;

/* Append a column's value, written as in an object; nothing for null. */
void sql_write(const struct db_rows *rows, size_t row, size_t column, struct buf *out);

/* Run statements separated by semicolons, in the current transaction. */
bool sql_script(struct sql *sql, const char *script, struct err *err) must_check;

enum sql_mode {
    SQL_WRITE, /* READ COMMITTED: a statement that waited for a lock sees what its holder committed
                */
    SQL_SNAPSHOT, /* REPEATABLE READ: all statements see the same moment; works on a standby */
};

bool sql_begin(struct sql *sql, enum sql_mode mode, struct err *err) must_check;
bool sql_commit(struct sql *sql, struct err *err) must_check;

/* Roll back the current transaction, if there is one. */
bool sql_rollback(struct sql *sql, struct err *err) must_check;
