/*
 * common/db/db.h - PostgreSQL by libpq, never blocking: one connection that reconnects by itself.
 *
 * A connection belongs to one thread, which polls its descriptor together with everything else it
 * waits for, calls db_step() when something may have happened, and finds the outcome of the
 * statement under way in db_take(). Statements are prepared once a connection; parameters and
 * results are binary.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/codec/uuid.h"
#include "base/err.h"

struct db;

enum db_state {
    DB_DOWN,       /* waits for its next try to connect */
    DB_CONNECTING, /* connecting, then preparing the statements */
    DB_IDLE,
    DB_BUSY, /* a statement is under way */
};

/*
 * A connection that is down. url is a libpq connection string, password may be NULL; both are
 * copied. statements[i] is prepared under the number i. Connecting to a host of url, and every
 * statement, takes at most timeout_ms; after that the next host is asked, or the connection is
 * closed and the statement's outcome unknown.
 */
struct db *db_new(const char *url, const char *password, const char *const *statements,
                  size_t count, int64_t timeout_ms);
void db_free(struct db **db);

enum db_state db_state(const struct db *db);

/* The number of the connection, from 1: another one may lead to another server, which knows less.
 */
uint64_t db_connection(const struct db *db);

/* What to poll for: the descriptor (-1: nothing) with its events, and when to call db_step() at
 * the latest, by clock_ms(). */
int db_fd(const struct db *db, short *events);
int64_t db_wake_ms(const struct db *db);

/* Do what can be done without waiting. */
void db_step(struct db *db);

/* One parameter: NULL bytes make it null. */
struct db_param {
    const char *bytes;
    int size;
};

/* Start statement number i; the connection must be idle. False when it broke just now: nothing
 * was done. */
bool db_start(struct db *db, size_t statement, const struct db_param *params, size_t count);

enum db_outcome {
    DB_PENDING,
    DB_DONE,    /* committed: *rows is the caller's to free */
    DB_REFUSED, /* the server refused it and nothing was done: sqlstate says why */
    DB_LOST,    /* the connection broke: it may have been committed or not */
};

/*
 * Was it refused because of the session, not of what it says? Then the connection is closed, and
 * the next one may do what this one could not: its plans were made for types that a migration has
 * changed since (0A000, class 42), or its server takes no writes any more (25006).
 */
bool db_is_stale(const char *sqlstate);

struct db_rows; /* what a statement answered */

/* The outcome of the statement under way; anything but DB_PENDING is told once. */
enum db_outcome db_take(struct db *db, struct db_rows **rows, char sqlstate[static 6]);

/* How many there are; 0 when rows is NULL. */
size_t db_rows_count(const struct db_rows *rows);
void db_rows_free(struct db_rows **rows);

/* ---- binary values, PostgreSQL's format of each type's send and receive functions ---- */

enum db_type {
    DB_COMPOSITE = 0, /* its number differs from database to database: the statement says which */
    DB_BYTEA = 17,
    DB_INT8 = 20,
    DB_INT2 = 21,
    DB_INT4 = 23,
    DB_TEXT = 25,
    DB_UUID = 2950
};

/* Begin a one-dimensional array of count elements, then add exactly that many. */
void db_array(struct buf *out, enum db_type type, size_t count);

/* Add a value of a composite type (an array of those has type DB_COMPOSITE): db_column() before
 * each of its columns, in their order, db_composite_end() with what db_composite() returned. */
size_t db_composite(struct buf *out, size_t columns);
void db_column(struct buf *out, enum db_type type);
void db_composite_end(struct buf *out, size_t start);

void db_add_null(struct buf *out);
void db_add_bytes(struct buf *out, const void *bytes, size_t size);
void db_add_int2(struct buf *out, int64_t value);
void db_add_int4(struct buf *out, int64_t value);
void db_add_int8(struct buf *out, int64_t value);

/* One field of a row, both counted from 0; false, and 0 or nothing, when it is null. An integer has
 * 2, 4 or 8 bytes, a boolean 1; a text is borrowed from the rows, and a NUL follows it. */
bool db_int(const struct db_rows *rows, size_t row, size_t column, int64_t *value);
bool db_text(const struct db_rows *rows, size_t row, size_t column, struct text *value);
