/* tests/simulator/sessions.c - libpq without a network. */
#include "sessions.h"

#include <assert.h>
#include <libpq-fe.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "compare/postgres.h"
#include "descriptors.h"
#include "rows.h"
#include "scheduler.h"
#include "server.h"
#include "world.h"

enum { SESSIONS_MAX = 512, CONNECT_US_MAX = 5 * US_A_MS };

/* What PGconn points to. */
struct session {
    int owner;
    int descriptor;
    size_t server;
    enum { CONNECTING, CONNECTED, REFUSED } state;
    bool is_broken;                /* by the server; the client sees it when it reads */
    bool is_torn;                  /* it breaks in the middle of a response */
    bool is_closed;                /* by the client */
    bool is_silent;                /* nothing reaches the client any more */
    bool has_arrived;              /* a result can be read, */
    PGresult *result;              /* which is this */
    char sqlstate[SQLSTATE_BYTES]; /* of an error result */
};

static struct {
    size_t count;
    struct session *session[SESSIONS_MAX];
    char sqlstate[SQLSTATE_BYTES]; /* of the result that was read last */
} sessions;

void sessions_reset(void)
{
    sessions.count = 0;
}

int session_owner(const struct session *session)
{
    return session->owner;
}

static struct session *session_of(const PGconn *conn)
{
    return (struct session *)(uintptr_t)conn;
}

static void make_readable(struct session *session)
{
    if (!session->is_closed)
        descriptor_set(session->descriptor, true);
}

/* ---- what a server does ---- */

const char *refused_sqlstate(void)
{
    static const char *const sqlstates[] = { "40001", "40P01", "53100", "53200", "53300",
                                             "55P03", "57014", "25006", "08006" };
    return sqlstates[chance_below(countof(sqlstates))];
}

struct arrival {
    struct session *session;
    bool is_break;
    struct response response;
};

static void arrive(void *argument)
{
    struct arrival *arrival = argument;
    struct session *session = arrival->session;
    if (session->is_closed || session->is_broken || session->is_silent)
        return;
    if (arrival->is_break) {
        session->is_broken = true;
        session->is_torn = chance_in(3000);
    } else {
        session->has_arrived = true;
        session->result = rows_of(&arrival->response);
        memcpy(session->sqlstate, arrival->response.sqlstate, SQLSTATE_BYTES);
    }
    make_readable(session);
}

static void arrive_in(struct session *session, const struct response *response, int64_t way_us)
{
    struct arrival *arrival = sim_new(sizeof(*arrival));
    arrival->session = session;
    arrival->is_break = !response;
    if (response)
        arrival->response = *response;
    sim_in(way_us, arrive, arrival);
}

void session_respond_in(struct session *session, const struct response *response, int64_t way_us)
{
    arrive_in(session, response, way_us);
}

void session_break_in(struct session *session, int64_t way_us)
{
    arrive_in(session, NULL, way_us);
}

void session_silence(struct session *session)
{
    session->is_silent = true;
}

void sessions_break_all(void)
{
    for (size_t i = 0; i < sessions.count; i++)
        if (!sessions.session[i]->is_closed)
            session_break_in(sessions.session[i], chance_between(50, CONNECT_US_MAX));
}

void servers_drop_connections(int owner)
{
    for (size_t i = 0; i < sessions.count; i++)
        if (sessions.session[i]->owner == owner)
            sessions.session[i]->is_closed = true;
}

/* ---- connecting ---- */

static void accept_session(void *argument)
{
    struct session *session = argument;
    if (session->is_closed || session->is_broken)
        return;
    session->state = server_accepts(session->server) ? CONNECTED : REFUSED;
    make_readable(session);
}

/* The last digit of a host names the server: "s0", or its address "10.0.0.1". */
static size_t server_of(const char *host)
{
    size_t digit = (size_t)(host[strlen(host) - 1] - '0');
    return strchr(host, '.') ? digit - 1 : digit;
}

PGconn *__wrap_PQconnectStartParams(const char *const *names, const char *const *values,
                                    int expands);
PGconn *__wrap_PQconnectStartParams(const char *const *names, const char *const *values,
                                    int expands)
{
    struct session *session = sim_new(sizeof(*session));
    (void)expands;
    assert(sessions.count < SESSIONS_MAX);
    sessions.session[sessions.count++] = session;
    session->owner = task_owner();
    session->descriptor = descriptor_new();
    for (size_t i = 0; names[i]; i++)
        if (strcmp(names[i], "host") == 0)
            session->server = server_of(values[i]);
    sim_in(chance_between(100, CONNECT_US_MAX), accept_session, session);
    return (PGconn *)session;
}

PostgresPollingStatusType __wrap_PQconnectPoll(PGconn *conn);
PostgresPollingStatusType __wrap_PQconnectPoll(PGconn *conn)
{
    struct session *session = session_of(conn);
    descriptor_set(session->descriptor, false);
    if (session->is_broken || session->state == REFUSED)
        return PGRES_POLLING_FAILED;
    return session->state == CONNECTED ? PGRES_POLLING_OK : PGRES_POLLING_READING;
}

PQnoticeProcessor __wrap_PQsetNoticeProcessor(PGconn *conn, PQnoticeProcessor processor,
                                              void *argument);
PQnoticeProcessor __wrap_PQsetNoticeProcessor(PGconn *conn, PQnoticeProcessor processor,
                                              void *argument)
{
    (void)conn;
    (void)argument;
    return processor;
}

ConnStatusType __wrap_PQstatus(const PGconn *conn);
ConnStatusType __wrap_PQstatus(const PGconn *conn)
{
    const struct session *session = session_of(conn);
    if (session->is_broken && !session->has_arrived)
        return CONNECTION_BAD;
    return session->state == REFUSED ? CONNECTION_BAD : CONNECTION_OK;
}

int __wrap_PQsetnonblocking(PGconn *conn, int is_nonblocking);
int __wrap_PQsetnonblocking(PGconn *conn, int is_nonblocking)
{
    (void)conn;
    (void)is_nonblocking;
    return 0;
}

int __wrap_PQsocket(const PGconn *conn);
int __wrap_PQsocket(const PGconn *conn)
{
    return session_of(conn)->descriptor;
}

int __wrap_PQbackendPID(const PGconn *conn);
int __wrap_PQbackendPID(const PGconn *conn)
{
    return session_of(conn)->descriptor;
}

char *__wrap_PQhostaddr(const PGconn *conn);
char *__wrap_PQhostaddr(const PGconn *conn)
{
    static char address[] = "10.0.0.1";
    address[sizeof(address) - 2] = (char)('1' + session_of(conn)->server);
    return address;
}

char *__wrap_PQerrorMessage(const PGconn *conn);
char *__wrap_PQerrorMessage(const PGconn *conn)
{
    static char broken[] = "the simulated connection broke";
    static char refused[] = "the simulated server does not accept it";
    return session_of(conn)->state == REFUSED ? refused : broken;
}

void __wrap_PQfinish(PGconn *conn);
void __wrap_PQfinish(PGconn *conn)
{
    struct session *session = session_of(conn);
    if (!session || session->is_closed)
        return;
    session->is_closed = true;
    PQclear(session->result);
    session->result = NULL;
    descriptor_free(session->descriptor);
}

/* ---- statements ---- */

int __wrap_PQflush(PGconn *conn);
int __wrap_PQflush(PGconn *conn)
{
    (void)conn;
    return 0;
}

int __wrap_PQsendPrepare(PGconn *conn, const char *name, const char *query, int count,
                         const Oid *types);
int __wrap_PQsendPrepare(PGconn *conn, const char *name, const char *query, int count,
                         const Oid *types)
{
    struct session *session = session_of(conn);
    (void)count;
    (void)types;
    postgres_note_statement((enum statement_number)(name[1] - '0'), query);
    session->has_arrived = true;
    session->result = PQmakeEmptyPGresult(NULL, PGRES_COMMAND_OK);
    make_readable(session);
    return 1;
}

int __wrap_PQsendQueryPrepared(PGconn *conn, const char *name, int count, const char *const *values,
                               const int *sizes, const int *formats, int format);
int __wrap_PQsendQueryPrepared(PGconn *conn, const char *name, int count, const char *const *values,
                               const int *sizes, const int *formats, int format)
{
    struct session *session = session_of(conn);
    (void)formats;
    assert(format == 1);
    if (session->is_broken)
        return 0;
    server_execute(session,
                   request_of((enum statement_number)(name[1] - '0'), count, values, sizes));
    return 1;
}

int __wrap_PQconsumeInput(PGconn *conn);
int __wrap_PQconsumeInput(PGconn *conn)
{
    struct session *session = session_of(conn);
    descriptor_set(session->descriptor, false);
    return session->has_arrived || !session->is_broken || session->is_torn;
}

int __wrap_PQisBusy(PGconn *conn);
int __wrap_PQisBusy(PGconn *conn)
{
    const struct session *session = session_of(conn);
    return !session->has_arrived && !session->is_broken;
}

/* The result, then NULL. A torn response is an error result without a SQLSTATE. */
PGresult *__wrap_PQgetResult(PGconn *conn);
PGresult *__wrap_PQgetResult(PGconn *conn)
{
    struct session *session = session_of(conn);
    if (!session->has_arrived && session->is_torn) {
        session->is_torn = false;
        *sessions.sqlstate = '\0';
        return PQmakeEmptyPGresult(NULL, PGRES_FATAL_ERROR);
    }
    PGresult *result = session->result;
    session->result = NULL;
    if (result)
        memcpy(sessions.sqlstate, session->sqlstate, SQLSTATE_BYTES);
    else
        session->has_arrived = false;
    if (!result && session->is_broken)
        make_readable(session);
    return result;
}

char *__wrap_PQresultErrorField(const PGresult *result, int field);
char *__wrap_PQresultErrorField(const PGresult *result, int field)
{
    (void)result;
    return field == 'C' && *sessions.sqlstate ? sessions.sqlstate : NULL;
}
