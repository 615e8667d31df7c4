/*
 * tests/simulator/compare/postgres.c - blocking connections. The linker leads calls of libpq that
 * common/db makes to sessions.c, so this file names the real functions.
 */
#include "postgres.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/buf.h"

enum { URL_BYTES = 512, SQL_BYTES = 4096, NAME_BYTES = 8, STATEMENTS = STATEMENT_PRUNE + 1 };

ConnStatusType __real_PQstatus(const PGconn *conn);
char *__real_PQerrorMessage(const PGconn *conn);
char *__real_PQresultErrorField(const PGresult *result, int field);
int __real_PQsendQueryPrepared(PGconn *conn, const char *name, int count, const char *const *values,
                               const int *sizes, const int *formats, int format);
PGresult *__real_PQgetResult(PGconn *conn);

static struct {
    const char *url; /* NULL: off */
    const char *query[STATEMENTS];
    const char *rows_query;
    PGconn *gateway, *owner, *locker;
} postgres;

void postgres_begin(const char *url)
{
    postgres.url = url;
}

bool postgres_is_on(void)
{
    return postgres.url != NULL;
}

void postgres_note_statement(enum statement_number statement, const char *query)
{
    postgres.query[statement] = query;
}

void postgres_note_rows(const char *query)
{
    postgres.rows_query = query;
}

static void fail(const PGconn *conn, const char *what)
{
    fprintf(stderr, "simulator: %.80s: %s\n", what, __real_PQerrorMessage(conn));
    exit(2);
}

static void expect(const PGconn *conn, const PGresult *result, const char *what)
{
    if (PQresultStatus(result) != PGRES_COMMAND_OK && PQresultStatus(result) != PGRES_TUPLES_OK)
        fail(conn, what);
}

static void run(PGconn *conn, const char *sql)
{
    PGresult *result = PQexec(conn, sql);
    expect(conn, result, sql);
    PQclear(result);
}

static PGconn *open_as(const char *user)
{
    char url[URL_BYTES];
    snprintf(url, sizeof(url), "%s user=%s", postgres.url, user);
    PGconn *conn = PQconnectdb(url);
    if (__real_PQstatus(conn) != CONNECTION_OK)
        fail(conn, "cannot connect");
    return conn;
}

static void prepare(PGconn *conn, const char *name, const char *query)
{
    PGresult *result = PQprepare(conn, name, query, 0, NULL);
    expect(conn, result, "cannot prepare");
    PQclear(result);
}

static void open_all(void)
{
    char name[NAME_BYTES];
    if (postgres.gateway)
        return;
    postgres.gateway = open_as("tollgate_gateway");
    postgres.owner = open_as("postgres");
    postgres.locker = open_as("postgres");
    run(postgres.gateway, "set lock_timeout = '10s'"); /* only a broken one waits for the locker */
    for (int i = 0; i < STATEMENTS; i++) {
        snprintf(name, sizeof(name), "s%d", i);
        prepare(postgres.gateway, name, postgres.query[i]);
    }
    prepare(postgres.gateway, "clock", "select set_config('tollgate.clock_ms', $1, false)");
    prepare(postgres.gateway, "rows", postgres.rows_query);
    prepare(postgres.owner, "rows", postgres.rows_query);
    PQenterPipelineMode(postgres.gateway);
}

/* ---- a pipeline of three statements: one round trip ---- */

static void send_prepared(const char *name, int count, const char *const *values, const int *sizes,
                          int format)
{
    const int formats[REQUEST_VALUES] = { format, format, format, format };
    if (!__real_PQsendQueryPrepared(postgres.gateway, name, count, values, sizes, formats,
                                    format) ||
        !PQpipelineSync(postgres.gateway))
        fail(postgres.gateway, "cannot send");
}

/* A result is followed by NULL, and by that of the synchronization. */
static PGresult *receive(void)
{
    PGresult *result = __real_PQgetResult(postgres.gateway);
    if (__real_PQgetResult(postgres.gateway))
        fail(postgres.gateway, "a statement has two results");
    PGresult *end = __real_PQgetResult(postgres.gateway);
    if (PQresultStatus(end) != PGRES_PIPELINE_SYNC)
        fail(postgres.gateway, "the pipeline broke");
    PQclear(end);
    return result;
}

PGresult *postgres_run(const struct request *request, int64_t now_ms, PGresult **rows)
{
    enum { TEXT, BINARY };
    char name[NAME_BYTES], now[32];
    const char *const clock[] = { now };
    open_all();
    snprintf(now, sizeof(now), "%lld", (long long)now_ms);
    snprintf(name, sizeof(name), "s%d", request->statement);
    send_prepared("clock", 1, clock, NULL, TEXT);
    send_prepared(name, request->count, (const char *const *)request->value, request->size, BINARY);
    send_prepared("rows", 0, NULL, NULL, TEXT);
    PQclear(receive());
    PGresult *result = receive();
    *rows = receive();
    expect(postgres.gateway, *rows, "cannot read the rows");
    return result;
}

PGresult *postgres_must(const char *sql)
{
    open_all();
    PGresult *result = PQexec(postgres.owner, sql);
    expect(postgres.owner, result, sql);
    return result;
}

PGresult *postgres_rows(void)
{
    open_all();
    PGresult *result = PQexecPrepared(postgres.owner, "rows", 0, NULL, NULL, NULL, 0);
    expect(postgres.owner, result, "cannot read the rows");
    return result;
}

PGresult *postgres_run_at(const char *sql, bool fails_locked, int64_t now_ms)
{
    scoped(buf_free) struct buf both = BUF(SQL_BYTES);
    open_all();
    buf_format(&both, "set tollgate.clock_ms = '%lld'; set local lock_timeout = '%s'; %s",
               (long long)now_ms, fails_locked ? "20ms" : "10s", sql);
    return PQexec(postgres.owner, buf_str(&both));
}

void postgres_lock(const char *sql)
{
    open_all();
    run(postgres.locker, "begin");
    run(postgres.locker, sql);
}

void postgres_unlock(void)
{
    run(postgres.locker, "rollback");
}

const char *postgres_sqlstate(const PGresult *result)
{
    const char *sqlstate = __real_PQresultErrorField(result, 'C');
    return sqlstate ? sqlstate : "";
}
