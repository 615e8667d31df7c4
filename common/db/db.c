/* common/db/db.c - one non-blocking PostgreSQL connection that reconnects automatically. */
#include "db/db.h"

#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/num.h"
#include "base/os/clock.h"
#include "base/os/log.h"
#include "db/libpq.h"

enum {
    RETRY_FIRST_MS = 50,
    RETRY_MAX_MS = 1000,
    NAME_BYTES = 24,
};

struct db {
    char *url;
    char *password;
    const char *const *statements;
    size_t statement_count;
    int64_t timeout_ms;
    size_t hosts;  /* that url names */
    size_t turn;   /* the host to connect to: libpq_start() */
    size_t served; /* the turn of the last host that accepted a connection, and its address */
    char address[INET6_ADDRSTRLEN];
    PGconn *conn;
    enum db_state state;
    uint64_t connection; /* number of connections so far */
    bool is_connected;   /* in state CONNECTING: the handshake is over, statements follow */
    size_t prepared;     /* statements that the server has prepared */
    PostgresPollingStatusType wants;
    int64_t wake_ms; /* DOWN: next try; else: the timeout */
    int64_t retry_ms;
    enum db_outcome outcome; /* of the running statement */
    PGresult *result;
    char sqlstate[6];
};

struct db *db_new(const char *url, const char *password, const char *const *statements,
                  size_t count, int64_t timeout_ms)
{
    struct db *db = mem_new(sizeof(*db));
    db->url = str_dup(url);
    db->password = str_dup(password);
    db->statements = statements;
    db->statement_count = count;
    db->timeout_ms = timeout_ms;
    db->hosts = libpq_hosts(url);
    db->turn = libpq_first();
    db->retry_ms = RETRY_FIRST_MS;
    return db;
}

void db_free(struct db **address)
{
    struct db *db = *address;
    if (!db)
        return;
    PQclear(db->result);
    PQfinish(db->conn);
    mem_free(&db->url);
    mem_free(&db->password);
    mem_free(address);
}

enum db_state db_state(const struct db *db)
{
    return db->state;
}

uint64_t db_connection(const struct db *db)
{
    return db->connection;
}

int db_fd(const struct db *db, short *events)
{
    *events = POLLIN;
    if (!db->conn || db->state == DB_DOWN)
        return -1;
    if (db->state == DB_CONNECTING && !db->is_connected)
        *events = db->wants == PGRES_POLLING_WRITING ? POLLOUT : POLLIN;
    else if (db->state != DB_IDLE && PQflush(db->conn) == 1)
        *events = POLLIN | POLLOUT;
    return PQsocket(db->conn);
}

int64_t db_wake_ms(const struct db *db)
{
    return db->state == DB_IDLE ? INT64_MAX : db->wake_ms;
}

/*
 * When to retry: the next host immediately, and the first host after a pause that doubles each
 * round. The host that served last is tried first.
 */
static void plan_retry(struct db *db)
{
    bool is_round_over = db->state != DB_CONNECTING || ++db->turn % db->hosts == 0;
    db->wake_ms = clock_ms();
    if (is_round_over) {
        db->wake_ms += db->retry_ms;
        db->retry_ms = MIN(db->retry_ms * 2, RETRY_MAX_MS);
    }
}

/* If a host accepted connections before and does not now, its name may resolve to another
 * address. */
static void go_down(struct db *db, const char *why)
{
    log_line(LOG_WARN, "database connection lost", log_str("error", why));
    if (db->state == DB_CONNECTING)
        *db->address = '\0';
    plan_retry(db);
    if (db->state == DB_BUSY && db->outcome == DB_PENDING)
        db->outcome = DB_LOST;
    PQfinish(db->conn);
    db->conn = NULL;
    db->state = DB_DOWN;
}

/*
 * The same, and the next host is tried first: a primary that was replaced may still respond, and
 * wait forever for a standby that it no longer has.
 */
static void leave_connection(struct db *db, const char *why)
{
    db->turn++;
    go_down(db, why);
}

static void send_prepare(struct db *db)
{
    char name[NAME_BYTES];
    snprintf(name, sizeof(name), "s%zu", db->prepared);
    if (!PQsendPrepare(db->conn, name, db->statements[db->prepared], 0, NULL))
        go_down(db, "cannot send");
}

static void step_connect(struct db *db)
{
    db->wants = PQconnectPoll(db->conn);
    if (db->wants == PGRES_POLLING_FAILED) {
        go_down(db, PQerrorMessage(db->conn));
    } else if (db->wants == PGRES_POLLING_OK) {
        db->is_connected = true;
        db->prepared = 0;
        PQsetnonblocking(db->conn, 1);
        send_prepare(db);
    }
}

bool db_is_stale(const char *sqlstate)
{
    return strncmp(sqlstate, "42", 2) == 0 || strcmp(sqlstate, "0A000") == 0 ||
           strcmp(sqlstate, "25006") == 0;
}

/* Keep the last result of the statement; true when the server has sent all of them. */
static bool collect_result(struct db *db)
{
    if (!PQconsumeInput(db->conn)) {
        go_down(db, PQerrorMessage(db->conn));
        return false;
    }
    while (!PQisBusy(db->conn)) {
        PGresult *result = PQgetResult(db->conn);
        if (!result)
            return true;
        PQclear(db->result);
        db->result = result;
    }
    return false;
}

static void step_prepare(struct db *db)
{
    if (!collect_result(db))
        return;
    ExecStatusType status = PQresultStatus(db->result);
    PQclear(take(db->result));
    if (status != PGRES_COMMAND_OK) {
        go_down(db, PQerrorMessage(db->conn));
        return;
    }
    if (++db->prepared < db->statement_count) {
        send_prepare(db);
        return;
    }
    db->state = DB_IDLE;
    db->retry_ms = RETRY_FIRST_MS;
    db->served = db->turn;
    snprintf(db->address, sizeof(db->address), "%s", PQhostaddr(db->conn));
    log_line(LOG_INFO, "database connected", log_int("backend_pid", PQbackendPID(db->conn)));
}

static void step_statement(struct db *db)
{
    if (!collect_result(db))
        return;
    ExecStatusType status = PQresultStatus(db->result);
    if (PQstatus(db->conn) == CONNECTION_BAD) {
        PQclear(take(db->result));
        go_down(db, PQerrorMessage(db->conn));
        return;
    }
    db->state = DB_IDLE;
    if (status == PGRES_TUPLES_OK) {
        db->outcome = DB_DONE;
        return;
    }
    const char *sqlstate = PQresultErrorField(db->result, PG_DIAG_SQLSTATE);
    snprintf(db->sqlstate, sizeof(db->sqlstate), "%s", sqlstate ? sqlstate : "XX000");
    log_line(LOG_WARN, "database rejected a statement",
             log_str("db.response.status_code", db->sqlstate),
             log_str("error", PQresultErrorField(db->result, PG_DIAG_MESSAGE_PRIMARY)));
    PQclear(take(db->result));
    db->outcome = DB_REFUSED;
    if (db_is_stale(db->sqlstate))
        go_down(db, "the session no longer fits the database");
}

/* An idle connection becomes readable if the server closes it. */
static void step_idle(struct db *db)
{
    if (!PQconsumeInput(db->conn) || PQstatus(db->conn) == CONNECTION_BAD)
        go_down(db, PQerrorMessage(db->conn));
}

/* The address of a known host: resolving its name could block for seconds. */
static const char *known_address(const struct db *db)
{
    bool is_known = *db->address && db->turn % db->hosts == db->served % db->hosts;
    return is_known ? db->address : NULL;
}

static void connect_again(struct db *db)
{
    db->conn = libpq_start(db->url, db->password, db->turn, known_address(db));
    db->connection++;
    db->is_connected = false;
    db->wants = PGRES_POLLING_WRITING;
    db->state = DB_CONNECTING;
    db->wake_ms = clock_ms() + db->timeout_ms;
    if (!db->conn || PQstatus(db->conn) == CONNECTION_BAD)
        go_down(db, db->conn ? PQerrorMessage(db->conn) : "out of memory");
}

void db_step(struct db *db)
{
    bool is_due = clock_ms() >= db->wake_ms;
    switch (db->state) {
    case DB_DOWN:
        if (is_due)
            connect_again(db);
        return;
    case DB_IDLE:
        step_idle(db);
        return;
    case DB_CONNECTING:
        if (is_due)
            go_down(db, "connecting takes too long");
        else if (db->is_connected)
            step_prepare(db);
        else
            step_connect(db);
        return;
    case DB_BUSY:
        step_statement(db);
        if (db->state == DB_BUSY && is_due)
            leave_connection(db, "the statement takes too long");
        return;
    }
}

bool db_start(struct db *db, size_t statement, const struct db_param *params, size_t count)
{
    enum { PARAMS_MAX = 24 };
    const char *values[PARAMS_MAX];
    int lengths[PARAMS_MAX];
    int formats[PARAMS_MAX];
    char name[NAME_BYTES];

    for (size_t i = 0; i < count; i++) {
        values[i] = params[i].bytes;
        lengths[i] = params[i].size;
        formats[i] = 1;
    }
    snprintf(name, sizeof(name), "s%zu", statement);
    if (!PQsendQueryPrepared(db->conn, name, (int)count, values, lengths, formats, 1)) {
        go_down(db, PQerrorMessage(db->conn));
        return false;
    }
    PQflush(db->conn);
    db->state = DB_BUSY;
    db->outcome = DB_PENDING;
    db->wake_ms = clock_ms() + db->timeout_ms;
    return true;
}

enum db_outcome db_take(struct db *db, struct db_rows **rows, char sqlstate[static 6])
{
    enum db_outcome outcome = db->outcome;
    if (outcome == DB_DONE)
        *rows = (struct db_rows *)take(db->result);
    if (outcome == DB_REFUSED)
        memcpy(sqlstate, db->sqlstate, sizeof(db->sqlstate));
    db->outcome = DB_PENDING;
    return outcome;
}
