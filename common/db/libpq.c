/* common/db/libpq.c - the settings of every connection, and waiting for one. */
#include "db/libpq.h"

#include <poll.h>

#include "base/num.h"
#include "base/os/clock.h"
#include "base/os/deadline.h"
#include "base/os/log.h"

enum { KEYWORDS_MAX = 16 };

/*
 * What every session of ours needs, whatever the server's defaults are (PostgreSQL 15 manual,
 * chapter 20): a commit that is told is on disk, on a synchronous standby's too where there is one
 * (20.5); a statement whose client has gone ends within a second instead of piling up (20.3);
 * nobody waits for a lock for long.
 */
static const char OPTIONS[] = "-c synchronous_commit=on -c client_connection_check_interval=1000 "
                              "-c lock_timeout=1000 -c client_min_messages=warning";

/* What the server says unasked: a log line, where libpq would write to stderr. */
static void log_notice(void *context, const char *text)
{
    (void)context;
    log_line(LOG_WARN, "the database says", log_str("why", text));
}

/* What the caller's connection string may say otherwise, the string, then our own settings, which
 * win. A server that takes no writes is none of ours: of several hosts another may. */
PGconn *libpq_start(const char *url, const char *password)
{
    const char *names[KEYWORDS_MAX] = { "target_session_attrs",      "dbname",
                                        "fallback_application_name", "tcp_user_timeout",
                                        "keepalives_idle",           "options" };
    const char *values[KEYWORDS_MAX] = { "read-write", url, "tollgate", "3000", "5", OPTIONS };
    if (password) {
        names[6] = "password";
        values[6] = password;
    }
    PGconn *conn = PQconnectStartParams(names, values, 1);
    if (conn)
        PQsetNoticeProcessor(conn, log_notice, NULL);
    return conn;
}

PGconn *libpq_connect(const char *url, const char *password, int64_t timeout_ms, struct err *err)
{
    PGconn *conn = libpq_start(url, password);
    int64_t deadline_ms = clock_ms() + timeout_ms;
    PostgresPollingStatusType wants = PGRES_POLLING_WRITING;

    while (conn && PQstatus(conn) != CONNECTION_BAD && wants != PGRES_POLLING_OK &&
           wants != PGRES_POLLING_FAILED) {
        struct pollfd fd = { PQsocket(conn), wants == PGRES_POLLING_READING ? POLLIN : POLLOUT, 0 };
        int left_ms = deadline_poll_ms(deadline_ms);
        if (left_ms == 0 || poll(&fd, 1, left_ms) == 0) {
            err_set(err, ERR_LEDGER_UNAVAILABLE, "the database did not answer in %d ms",
                    (int)timeout_ms);
            PQfinish(conn);
            return NULL;
        }
        wants = PQconnectPoll(conn);
    }
    if (conn && PQstatus(conn) == CONNECTION_OK)
        return conn;
    err_set(err, ERR_LEDGER_UNAVAILABLE, "the database cannot be reached: %s",
            conn ? PQerrorMessage(conn) : "out of memory");
    PQfinish(conn);
    return NULL;
}
