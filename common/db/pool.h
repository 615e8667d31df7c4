/*
 * common/db/pool.h - a few connections shared by many threads. A thread holds one only for a
 * statement or a transaction, never while it computes or waits for something else.
 *
 * Connections are opened when needed. A broken connection, or one that the server closed while it
 * was idle, is never lent: the next caller gets a new one. Any thread may call.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "db/sql.h"

struct pool;

/*
 * At most `count` connections at once. A caller waits up to wait_ms if all are in use. Connecting,
 * and each statement, takes at most timeout_ms (sql_open_brisk()). url is a libpq connection
 * string; password may be NULL; both are copied. Does not connect yet.
 */
struct pool *pool_new(const char *url, const char *password, size_t connections, int64_t wait_ms,
                      int64_t timeout_ms);

/* All connections must have been returned. */
void pool_free(struct pool **pool);

/*
 * Borrow a connection; return it with pool_give(). Errors: ERR_LEDGER_UNAVAILABLE if none is free
 * within wait_ms, or if the server cannot be reached.
 */
bool pool_take(struct pool *pool, struct sql **sql, struct err *err) must_check;

/*
 * Return it to its pool, usable or broken, and empty the variable; an empty one is accepted. An
 * open transaction is rolled back.
 */
void pool_give(struct sql **sql);

/* sql_run(), sql_row() and sql_rows() for one statement, on a borrowed connection. */
bool pool_run(struct pool *pool, const char *statement, struct sql_params params,
              struct err *err) must_check;
bool pool_row(struct pool *pool, const char *statement, struct sql_params params, cJSON *object,
              struct err *err) must_check;
bool pool_rows(struct pool *pool, const char *statement, struct sql_params params, cJSON *list,
               struct err *err) must_check;
