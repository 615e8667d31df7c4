/*
 * common/db/pool.h - a few connections that many threads share, each only while it asks: a
 * statement or a transaction, never while it computes or talks to somebody else.
 *
 * Connections are made when they are needed. One that broke, or that the server hung up while
 * nobody used it, is never handed out: the next taker gets a new one. Any thread may call.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "db/sql.h"

struct pool;

/*
 * At most so many connections at once; whoever finds them all in use waits up to wait_ms.
 * Connecting, and each statement, takes at most timeout_ms (sql_open_brisk()). url is a libpq
 * connection string, password may be NULL; both are copied. Nothing is connected yet.
 */
struct pool *pool_new(const char *url, const char *password, size_t connections, int64_t wait_ms,
                      int64_t timeout_ms);

/* All connections must have been given back. */
void pool_free(struct pool **pool);

/*
 * Borrow a connection, which goes back by pool_give(). Errors: ERR_LEDGER_UNAVAILABLE when none is
 * free in wait_ms, or the server cannot be reached.
 */
bool pool_take(struct pool *pool, struct sql **sql, struct err *err) must_check;

/* Give it back to its pool, whole or broken, and empty the variable; an empty one is accepted. A
 * transaction that was not committed is rolled back. */
void pool_give(struct sql **sql);

/* sql_run(), sql_row() and sql_rows() of one statement, on a connection that is borrowed for it. */
bool pool_run(struct pool *pool, const char *statement, struct sql_params params,
              struct err *err) must_check;
bool pool_row(struct pool *pool, const char *statement, struct sql_params params, cJSON *object,
              struct err *err) must_check;
bool pool_rows(struct pool *pool, const char *statement, struct sql_params params, cJSON *list,
               struct err *err) must_check;
