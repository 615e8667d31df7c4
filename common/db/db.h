/*
 * common/db/db.h - PostgreSQL with libpq, non-blocking: one connection that reconnects
 * automatically.
 *
 * A connection belongs to one thread. The thread polls its descriptor together with everything else
 * it waits for, calls db_step() when something may have happened, and reads the outcome of the
 * running statement with db_take(). Each connection prepares the statements once; parameters and
 * results are binary.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <netinet/in.h>

#include "base/buf.h"
#include "base/codec/uuid.h"
#include "base/err.h"

struct db;

enum db_state {
    DB_DOWN,       /* waits to connect again */
    DB_CONNECTING, /* connecting, then preparing the statements */
    DB_IDLE,
    DB_BUSY, /* a statement is running */
};

/*
 * A connection that is down. url is a libpq connection string; password may be NULL; both are
 * copied. statements[i] is prepared as number i. Connecting to a host of url takes at most
 * timeout_ms; then the next host is tried. A statement takes at most timeout_ms; then the
 * connection is closed, and the statement's outcome is unknown.
 */
struct db *db_new(const char *url, const char *password, const char *const *statements,
                  size_t count, int64_t timeout_ms);
void db_free(struct db **db);

enum db_state db_state(const struct db *db);

/* The number of the connection, from 1: another one may lead to another server, which may lack
 * prepared state. */
uint64_t db_connection(const struct db *db);

/* What to poll for: the descriptor (-1: none) with its events, and the latest time to call
 * db_step(), by clock_ms(). */
int db_fd(const struct db *db, short *events);
int64_t db_wake_ms(const struct db *db);

/* Do what can be done without blocking. */
void db_step(struct db *db);

/* One parameter: NULL bytes make it null. */
struct db_param {
    const char *bytes;
    int size;
};

/* Start statement number i; the connection must be idle. False if the connection just broke:
 * nothing was done. */
bool db_start(struct db *db, size_t statement, const struct db_param *params, size_t count);

enum db_outcome {
    DB_PENDING,
    DB_DONE,    /* committed: the caller frees *rows */
    DB_REFUSED, /* the server rejected it, and nothing was done: sqlstate has the reason */
    DB_LOST,    /* the connection broke: it may have been committed or not */
};

/*
 * Was the statement rejected because of the session, not its content? Then the connection is
 * closed, and the next one may succeed: its plans were made for types that a migration has changed
 * since (0A000, class 42), or its server is now read-only (25006).
 */
bool db_is_stale(const char *sqlstate);

struct db_rows; /* the result of a statement */

/* The outcome of the running statement; every outcome except DB_PENDING is returned once. */
enum db_outcome db_take(struct db *db, struct db_rows **rows, char sqlstate[static 6]);

/* The number of rows; 0 if rows is NULL. */
size_t db_rows_count(const struct db_rows *rows);
void db_rows_free(struct db_rows **rows);

/* ---- binary values, PostgreSQL's format of each type's send and receive functions ---- */

enum db_type {
    DB_COMPOSITE = 0, /* its OID differs between databases: the statement names the type */
    DB_BYTEA = 17,
    DB_INT8 = 20,
    DB_INT2 = 21,
    DB_INT4 = 23,
    DB_TEXT = 25,
    DB_INET = 869,
    DB_UUID = 2950
};

/* Begin a one-dimensional array of count elements; then add exactly count elements. */
void db_array(struct buf *out, enum db_type type, size_t count);

/*
 * Add a value of a composite type (an array of those has type DB_COMPOSITE): call db_column()
 * before each column, in order, and db_composite_end() with what db_composite() returned.
 */
size_t db_composite(struct buf *out, size_t columns);
void db_column(struct buf *out, enum db_type type);
void db_composite_end(struct buf *out, size_t start);

void db_add_null(struct buf *out);
void db_add_bytes(struct buf *out, const void *bytes, size_t size);
void db_add_int2(struct buf *out, int64_t value);
void db_add_int4(struct buf *out, int64_t value);
void db_add_int8(struct buf *out, int64_t value);
void db_add_address(struct buf *out, const struct in6_addr *address); /* an inet */

/*
 * One field of a row, both counted from 0; if it is null, false and 0 or nothing. An integer has 2,
 * 4 or 8 bytes, a boolean 1. A text is borrowed from the rows, and a NUL follows it.
 */
bool db_int(const struct db_rows *rows, size_t row, size_t column, int64_t *value);
bool db_text(const struct db_rows *rows, size_t row, size_t column, struct text *value);
