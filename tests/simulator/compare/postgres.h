/*
 * tests/simulator/compare/postgres.h - a real PostgreSQL with the ledger's functions, next to the
 * model. tests/simulator/compare.py makes its database, where ledger_now_ms() returns the setting
 * tollgate.clock_ms.
 */
#pragma once

#include <libpq-fe.h>

#include "../sessions.h"

/* The connection string, without a user. It is opened at the first use, in each process. */
void postgres_begin(const char *url);
bool postgres_is_on(void);

/* The query for all rows. */
void postgres_note_rows(const char *query);

/* A gateway prepares this statement. */
void postgres_note_statement(enum statement_number statement, const char *query);

/* Run a statement as a gateway does, at this time, then the query for all rows (state.h), whose
 * result is *rows. Returns the statement's result, also if it is an error. */
PGresult *postgres_run(const struct request *request, int64_t now_ms, PGresult **rows);

/* Run SQL as a superuser; it must succeed. _rows(): the query for all rows. _run_at(): at this
 * time, and it may fail; fails_locked: soon, if another session has what it waits for. */
PGresult *postgres_must(const char *sql);
PGresult *postgres_rows(void);
PGresult *postgres_run_at(const char *sql, bool fails_locked, int64_t now_ms);

/* Another session runs SQL in a transaction, which takes locks until postgres_unlock(). */
void postgres_lock(const char *sql);
void postgres_unlock(void);

/* The SQLSTATE of a result; "": it is not an error. */
const char *postgres_sqlstate(const PGresult *result);
