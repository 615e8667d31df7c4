/* common/db/sql.c - blocking statements, with rows as JSON. */
#include "db/sql.h"

#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>

#include "base/codec/hex.h"
#include "base/mem.h"
#include "base/os/clock.h"
#include "base/os/deadline.h"
#include "base/table.h"
#include "db/libpq.h"

struct sql {
    PGconn *conn;
    struct pool *pool; /* NULL: not from a pool */
    struct libpq_place place;
    int64_t timeout_ms; /* of a statement; 0: none */
    bool is_spent;      /* a statement timed out, or was rejected because of the session */
};

static void clear_result(PGresult **result)
{
    PQclear(*result);
}

void sql_set_pool(struct sql *sql, struct pool *pool)
{
    sql->pool = pool;
}

struct pool *sql_pool(const struct sql *sql)
{
    return sql->pool;
}

/* ---- errors ---- */

static const struct advice {
    const char *sqlstate;
    const char *text;
} advices[] = {
    { "42P01", "the database has not all our tables; run `tollctl db migrate` first" },
    { "42883", "the database has not all our functions; run `tollctl db migrate` first" },
    { "42501", "the role in db.owner_url may not do this; it must be the owner of the tables" },
    { "55P03", "somebody else holds the row or table; nothing was done, try again" },
    { "40001", "another change came between; nothing was done, try again" },
    { "40P01", "another change came between; nothing was done, try again" },
    { "22003", "the number would become too large; nothing was done" },
};

/* The server's own message. */
static bool report_raised(const struct sql *sql, const PGresult *result, struct err *err)
{
    if (sql->is_spent && !result)
        return err_set(
            err, ERR_LEDGER_UNAVAILABLE,
            "the database did not respond within %d ms; it is unknown whether the statement ran",
            (int)sql->timeout_ms);
    if (PQstatus(sql->conn) == CONNECTION_BAD)
        return err_set(err, ERR_LEDGER_UNAVAILABLE,
                       "the connection to the database broke; before you repeat a change, check "
                       "whether it was made");
    const char *message = PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY);
    const char *sqlstate = PQresultErrorField(result, PG_DIAG_SQLSTATE);
    return err_set(err, ERR_LEDGER_UNAVAILABLE,
                   "the database rejected the statement: %s (SQLSTATE %s)",
                   message ? message : PQerrorMessage(sql->conn), sqlstate ? sqlstate : "unknown");
}

static bool report_failure(struct sql *sql, const PGresult *result, struct err *err)
{
    const char *sqlstate = PQresultErrorField(result, PG_DIAG_SQLSTATE);
    sql->is_spent |= sqlstate && db_is_stale(sqlstate);
    const struct advice *advice = sqlstate ? TABLE_FIND(advices, sqlstate) : NULL;
    return advice ? err_set(err, ERR_LEDGER_UNAVAILABLE, "%s", advice->text)
                  : report_raised(sql, result, err);
}

static bool is_ok(const PGresult *result)
{
    ExecStatusType status = PQresultStatus(result);
    return status == PGRES_TUPLES_OK || status == PGRES_COMMAND_OK;
}

/* ---- connection ---- */

static bool open_session(const char *url, const char *password, int64_t timeout_ms,
                         struct sql **opened, struct err *err)
{
    scoped(sql_close) struct sql *sql = mem_new(sizeof(*sql));
    sql->conn = libpq_connect(url, password, timeout_ms, &sql->place, err);
    if (!sql->conn)
        return false;
    *opened = take(sql);
    return true;
}

bool sql_open(const char *url, const char *password, int64_t timeout_ms, struct sql **opened,
              struct err *err)
{
    scoped(sql_close) struct sql *sql = NULL;
    if (!open_session(url, password, timeout_ms, &sql, err) ||
        !sql_run(sql, "set lock_timeout = '10s'", NO_PARAMS, err))
        return false;
    *opened = take(sql);
    return true;
}

bool sql_open_brisk(const char *url, const char *password, int64_t timeout_ms, struct sql **opened,
                    struct err *err)
{
    if (!open_session(url, password, timeout_ms, opened, err))
        return false;
    (*opened)->timeout_ms = timeout_ms;
    return true;
}

void sql_close(struct sql **sql)
{
    if (!*sql)
        return;
    PQfinish((*sql)->conn);
    mem_free(sql);
}

/* An idle connection is readable only if it is closed. */
bool sql_is_fit(struct sql *sql)
{
    struct pollfd fd = { PQsocket(sql->conn), POLLIN, 0 };
    if (sql->is_spent || sql->place.turn != libpq_first() || PQstatus(sql->conn) != CONNECTION_OK ||
        PQtransactionStatus(sql->conn) != PQTRANS_IDLE)
        return false;
    return poll(&fd, 1, 0) == 0 || (PQconsumeInput(sql->conn) && poll(&fd, 1, 0) == 0);
}

/* ---- rows ---- */

/* Types beyond those of db.h: pg_type.dat of PostgreSQL. */
enum { TYPE_BOOL = 16, TYPE_JSON = 114, TYPE_TIMESTAMPTZ = 1184 };

/* From 1970 to 2000, where PostgreSQL's times start. */
#define EPOCH_MS INT64_C(946684800000)

static void write_integer(const struct db_rows *rows, size_t row, size_t column, struct buf *out)
{
    int64_t number;
    db_int(rows, row, column, &number);
    buf_format(out, "%" PRId64, number);
}

static void write_time(const struct db_rows *rows, size_t row, size_t column, struct buf *out)
{
    char text[CLOCK_TEXT_BYTES];
    int64_t microseconds;
    db_int(rows, row, column, &microseconds);
    int64_t wall_ms = microseconds / 1000 + EPOCH_MS;
    if (clock_has_text(wall_ms))
        clock_format(text, wall_ms);
    buf_add_str(out, clock_has_text(wall_ms) ? text : wall_ms < 0 ? "-infinity" : "infinity");
}

static void write_uuid(struct text bytes, struct buf *out)
{
    char text[UUID_TEXT_BYTES];
    struct uuid uuid;
    memcpy(uuid.bytes, bytes.bytes, UUID_BYTES);
    uuid_format(text, &uuid);
    buf_add_str(out, text);
}

static void write_bytes(struct text bytes, struct buf *out)
{
    scoped(mem_free) char *hex = mem_new(2 * bytes.size + 1);
    hex_encode(hex, bytes.bytes, bytes.size);
    buf_add_str(out, hex);
}

void sql_write(const struct db_rows *rows, size_t row, size_t column, struct buf *out)
{
    struct text bytes;
    if (!db_text(rows, row, column, &bytes))
        return;
    switch (PQftype((const PGresult *)rows, (int)column)) {
    case DB_INT2:
    case DB_INT4:
    case DB_INT8:
        write_integer(rows, row, column, out);
        break;
    case TYPE_BOOL:
        buf_add_str(out, bytes.bytes[0] ? "true" : "false");
        break;
    case TYPE_TIMESTAMPTZ:
        write_time(rows, row, column, out);
        break;
    case DB_UUID:
        write_uuid(bytes, out);
        break;
    case DB_BYTEA:
        write_bytes(bytes, out);
        break;
    default:
        buf_add(out, bytes.bytes, bytes.size);
        break;
    }
}

/* ---- rows as objects ---- */

static void add_json(cJSON *object, const char *name, struct text text)
{
    cJSON *tree;
    if (json_parse(text, JSON_DEPTH, &tree, NULL))
        json_add(object, name, tree);
    else
        json_text_add(object, name, text);
}

static void add_written(const struct db_rows *rows, size_t row, size_t column, cJSON *object,
                        const char *name)
{
    scoped(buf_free) struct buf text = BUF(SIZE_MAX - 1); /* the server's values are below 1 GiB */
    sql_write(rows, row, column, &text);
    json_text_add(object, name, buf_text(&text));
}

static void add_field(const PGresult *result, int row, int column, cJSON *object)
{
    const struct db_rows *rows = (const struct db_rows *)result;
    const char *name = PQfname(result, column);
    struct text bytes;
    int64_t number;
    if (!db_text(rows, (size_t)row, (size_t)column, &bytes)) {
        json_null(object, name);
        return;
    }
    switch (PQftype(result, column)) {
    case DB_INT2:
    case DB_INT4:
    case DB_INT8:
        db_int(rows, (size_t)row, (size_t)column, &number);
        json_int(object, name, number);
        break;
    case TYPE_BOOL:
        json_bool(object, name, bytes.bytes[0] != 0);
        break;
    case TYPE_JSON:
        add_json(object, name, bytes);
        break;
    default:
        add_written(rows, (size_t)row, (size_t)column, object, name);
        break;
    }
}

static void add_fields(const PGresult *result, int row, cJSON *object)
{
    for (int column = 0; column < PQnfields(result); column++)
        add_field(result, row, column, object);
}

/* ---- statements ---- */

/* Wait until PQgetResult() does not block; false: timeout. A broken connection does not block. */
static bool wait_for_answer(PGconn *conn, int64_t deadline_ms)
{
    while (PQisBusy(conn)) {
        struct pollfd fd = { PQsocket(conn), POLLIN, 0 };
        int left_ms = deadline_poll_ms(deadline_ms);
        if (left_ms == 0 || poll(&fd, 1, left_ms) == 0)
            return false;
        if (!PQconsumeInput(conn))
            return true;
    }
    return true;
}

/* The only result of the statement, which the caller clears; NULL: not sent, or timeout. */
static PGresult *run_within_limits(struct sql *sql, const char *statement, struct sql_params params)
{
    int64_t deadline_ms = clock_ms() + sql->timeout_ms;
    PGresult *result = NULL;
    if (!PQsendQueryParams(sql->conn, statement, (int)params.count, NULL, params.value, NULL, NULL,
                           1))
        return NULL;
    while (wait_for_answer(sql->conn, deadline_ms)) {
        PGresult *next = PQgetResult(sql->conn);
        if (!next)
            return result;
        PQclear(result);
        result = next;
    }
    sql->is_spent = true;
    libpq_leave(sql->place);
    PQclear(result);
    return NULL;
}

static bool execute_statement(struct sql *sql, const char *statement, struct sql_params params,
                              PGresult **result, struct err *err)
{
    PGresult *answer = sql->timeout_ms > 0 ? run_within_limits(sql, statement, params)
                                           : PQexecParams(sql->conn, statement, (int)params.count,
                                                          NULL, params.value, NULL, NULL, 1);
    if (is_ok(answer)) {
        *result = answer;
        return true;
    }
    report_failure(sql, answer, err);
    PQclear(answer);
    return false;
}

bool sql_run(struct sql *sql, const char *statement, struct sql_params params, struct err *err)
{
    scoped(clear_result) PGresult *result = NULL;
    return execute_statement(sql, statement, params, &result, err);
}

bool sql_rows(struct sql *sql, const char *statement, struct sql_params params, cJSON *list,
              struct err *err)
{
    scoped(clear_result) PGresult *result = NULL;
    if (!execute_statement(sql, statement, params, &result, err))
        return false;
    for (int row = 0; row < PQntuples(result); row++)
        add_fields(result, row, json_item(list));
    return true;
}

bool sql_select(struct sql *sql, const char *statement, struct sql_params params,
                struct db_rows **rows, struct err *err)
{
    PGresult *result;
    if (!execute_statement(sql, statement, params, &result, err))
        return false;
    *rows = (struct db_rows *)result;
    return true;
}

bool sql_row(struct sql *sql, const char *statement, struct sql_params params, cJSON *object,
             struct err *err)
{
    scoped(clear_result) PGresult *result = NULL;
    if (!execute_statement(sql, statement, params, &result, err))
        return false;
    if (PQntuples(result) > 0)
        add_fields(result, 0, object);
    return true;
}

bool sql_bool(struct sql *sql, const char *statement, struct sql_params params, bool *is_true,
              struct err *err)
{
    scoped(json_free) cJSON *row = json_object();
    if (!sql_row(sql, statement, params, row, err))
        return false;
    *is_true = json_is(row->child, cJSON_True);
    return true;
}

bool sql_is(const cJSON *row, const char *column)
{
    return json_is(json_get(row, column), cJSON_True);
}

void sql_copy(const cJSON *row, const char *column, char *out, size_t bytes)
{
    const char *text = json_text_of(json_get(row, column)).bytes;
    snprintf(out, bytes, "%s", text ? text : "");
}

bool sql_script(struct sql *sql, const char *script, struct err *err)
{
    scoped(clear_result) PGresult *result = PQexec(sql->conn, script);
    return is_ok(result) || report_raised(sql, result, err);
}

bool sql_begin(struct sql *sql, enum sql_mode mode, struct err *err)
{
    return sql_run(sql,
                   mode == SQL_SNAPSHOT ? "begin isolation level repeatable read"
                                        : "begin isolation level read committed read write",
                   NO_PARAMS, err);
}

bool sql_commit(struct sql *sql, struct err *err)
{
    return sql_run(sql, "commit", NO_PARAMS, err);
}

bool sql_rollback(struct sql *sql, struct err *err)
{
    return PQtransactionStatus(sql->conn) == PQTRANS_IDLE ||
           sql_run(sql, "rollback", NO_PARAMS, err);
}
