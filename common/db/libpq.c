/* common/db/libpq.c - the settings of every connection, and waiting for one. */
#include "db/libpq.h"

#include <poll.h>
#include <stdio.h>

#include "base/num.h"
#include "base/os/clock.h"
#include "base/os/deadline.h"
#include "base/os/log.h"

enum { LOCK_TIMEOUT_MS = 1000, KEYWORDS_MAX = 16 };

/* What the server says unasked: a log line, where libpq would write to stderr. */
static void log_notice(void *context, const char *text)
{
    (void)context;
    log_line(LOG_WARN, "the database says", log_str("why", text));
}

/* The caller's connection string, then our own settings, which win. */
PGconn *libpq_start(const char *url, const char *password)
{
    const char *names[KEYWORDS_MAX] = { "dbname", "fallback_application_name", "tcp_user_timeout",
                                        "keepalives_idle", "options" };
    const char *values[KEYWORDS_MAX] = { url, "tollgate", "3000", "5", NULL };
    char options[96];
    snprintf(options, sizeof(options), "-c lock_timeout=%d -c client_min_messages=warning",
             LOCK_TIMEOUT_MS);
    values[4] = options;
    if (password) {
        names[5] = "password";
        values[5] = password;
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
