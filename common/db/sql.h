/*
 * common/db/sql.h - statements for start-up, pages and the command line: blocking, parameters as
 * text, rows as JSON.
 *
 * A row becomes an object whose members are named as the columns: integers are numbers, times
 * are RFC 3339 in UTC, uuid and text are texts, bytea is hex, json is itself. Errors are for the
 * operator:
 * ERR_LEDGER_UNAVAILABLE with the server's words, or with what to do for those that he can mend.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "db/db.h"
#include "text/json.h"

struct sql;

/* Connect, for at most timeout_ms a host of url; password may be NULL. A person is patient:
 * statements take as long as they take, and wait ten seconds for a row that somebody else holds. */
bool sql_open(const char *url, const char *password, int64_t timeout_ms, struct sql **sql,
              struct err *err) must_check;

/* The same for somebody who is waited for: each statement, too, takes at most timeout_ms, and waits
 * a second for a row. One that takes longer ends the connection, its outcome unknown, and the next
 * host of url comes first. */
bool sql_open_brisk(const char *url, const char *password, int64_t timeout_ms, struct sql **sql,
                    struct err *err) must_check;

void sql_close(struct sql **sql);

/* The pool that lends it: for db/pool.h. */
struct pool;
void sql_set_pool(struct sql *sql, struct pool *pool);
struct pool *sql_pool(const struct sql *sql);

/* Can others use it? It is in no transaction, and neither broken nor hung up by the server, nor did
 * the server refuse a statement for the session's sake (db_is_stale() of db/db.h), nor has another
 * host taken its place. */
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

/* Run it and append its rows to list. */
bool sql_rows(struct sql *sql, const char *statement, struct sql_params params, cJSON *list,
              struct err *err) must_check;

/* Run it and add the columns of its one row to object; without a row object stays as it is. */
bool sql_row(struct sql *sql, const char *statement, struct sql_params params, cJSON *object,
             struct err *err) must_check;

/* Run it and say whether the one column of its row is true. */
bool sql_bool(struct sql *sql, const char *statement, struct sql_params params, bool *is_true,
              struct err *err) must_check;

/* Of such an object: is a boolean column true? And a text, cut to what out holds; "" for null. */
bool sql_is(const cJSON *row, const char *column);
void sql_copy(const cJSON *row, const char *column, char *out, size_t bytes);

/* Run it and hand over its rows as they came: for many of them, whose objects would take longer to
 * make than the rows. Columns are counted from 0 and read by db_int(), db_text() and sql_write().
 */
bool sql_select(struct sql *sql, const char *statement, struct sql_params params,
                struct db_rows **rows, struct err *err) must_check;

/* Append a column's value, written as in an object; of null nothing. */
void sql_write(const struct db_rows *rows, size_t row, size_t column, struct buf *out);

/* Run statements separated by semicolons, within the transaction under way. */
bool sql_script(struct sql *sql, const char *script, struct err *err) must_check;

enum sql_mode {
    SQL_WRITE,    /* READ COMMITTED: a statement behind a lock sees what its holder committed */
    SQL_SNAPSHOT, /* REPEATABLE READ: all statements see the same moment; a standby can do it */
};

bool sql_begin(struct sql *sql, enum sql_mode mode, struct err *err) must_check;
bool sql_commit(struct sql *sql, struct err *err) must_check;

/* Undo what the transaction under way did, if there is one. */
bool sql_rollback(struct sql *sql, struct err *err) must_check;
