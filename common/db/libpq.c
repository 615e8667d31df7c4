/* common/db/libpq.c - settings of every connection, and blocking connects. */
#include "db/libpq.h"

#include <assert.h>
#include <poll.h>
#include <stdatomic.h>
#include <string.h>

#include "base/num.h"
#include "base/os/clock.h"
#include "base/os/deadline.h"
#include "base/os/log.h"
#include "base/scoped.h"

enum { KEYWORDS_MAX = 80 /* libpq 15 knows 42 */ };

/*
 * Session settings that override the server's defaults (PostgreSQL 15 manual, chapter 20):
 *
 * - A confirmed commit is on disk, and on a synchronous standby if there is one (20.5).
 * - A statement whose client has disconnected ends within a second (20.3).
 * - Waits for locks are short.
 */
static const char OPTIONS[] = "-c synchronous_commit=on -c client_connection_check_interval=1000 "
                              "-c lock_timeout=1000 -c client_min_messages=warning";

/* Log notices of the server, which libpq would write to stderr. */
static void log_notice(void *context, const char *text)
{
    (void)context;
    log_line(LOG_WARN, "the database says", log_str("error", text));
}

/* ---- one host of several ---- */

static size_t count_items(const char *list)
{
    size_t count = 1;
    for (; *list; list++)
        count += *list == ',';
    return count;
}

/* Cut an item out of a list in place; a single item applies to all hosts, as in libpq. */
static char *cut_item(char *list, size_t index)
{
    if (count_items(list) == 1)
        return list;
    char *item = list;
    for (size_t i = 0; i <= index; i++)
        item = strsep(&list, ",");
    return item;
}

static bool is_address(const PQconninfoOption *option)
{
    return strcmp(option->keyword, "host") == 0 || strcmp(option->keyword, "hostaddr") == 0 ||
           strcmp(option->keyword, "port") == 0;
}

/*
 * The lists host, hostaddr and port must have equal lengths, or one item; *hosts is that length.
 * Other cases are left to libpq, which reports the problem.
 */
static bool count_hosts(const PQconninfoOption *options, size_t *hosts)
{
    *hosts = 1;
    for (const PQconninfoOption *option = options; option->keyword; option++) {
        size_t count = option->val && is_address(option) ? count_items(option->val) : 1;
        if (count > 1 && *hosts > 1 && count != *hosts)
            return false;
        *hosts = MAX(*hosts, count);
    }
    return true;
}

static void free_options(PQconninfoOption **options)
{
    PQconninfoFree(*options);
    *options = NULL;
}

size_t libpq_hosts(const char *url)
{
    scoped(free_options) PQconninfoOption *options = PQconninfoParse(url, NULL);
    size_t hosts = 1;
    return options && count_hosts(options, &hosts) ? hosts : 1;
}

/* ---- connecting ---- */

struct keywords {
    const char *name[KEYWORDS_MAX];
    const char *value[KEYWORDS_MAX];
    size_t count;
};

static void add_keyword(struct keywords *keywords, const char *name, const char *value)
{
    assert(keywords->count + 1 < KEYWORDS_MAX);
    keywords->name[keywords->count] = name;
    keywords->value[keywords->count++] = value;
}

/* The caller's connection string with one of its hosts. An address in the string takes
 * precedence. */
static void add_url(struct keywords *keywords, PQconninfoOption *options, size_t turn,
                    const char *address)
{
    size_t hosts;
    bool is_one = count_hosts(options, &hosts);
    if (address)
        add_keyword(keywords, "hostaddr", address);
    for (PQconninfoOption *option = options; option->keyword; option++) {
        if (option->val)
            add_keyword(keywords, option->keyword,
                        is_one && is_address(option) ? cut_item(option->val, turn % hosts)
                                                     : option->val);
    }
}

/*
 * Order: defaults, the caller's connection string, then our settings, which win. A server that
 * accepts no writes is rejected: another of several hosts may accept them.
 */
PGconn *libpq_start(const char *url, const char *password, size_t turn, const char *address)
{
    scoped(free_options) PQconninfoOption *options = PQconninfoParse(url, NULL);
    struct keywords keywords = { .count = 0 };
    add_keyword(&keywords, "target_session_attrs", "read-write");
    if (options)
        add_url(&keywords, options, turn, address);
    else
        add_keyword(&keywords, "dbname", url); /* libpq reports its problems */
    add_keyword(&keywords, "fallback_application_name", "tollgate");
    add_keyword(&keywords, "tcp_user_timeout", "3000");
    add_keyword(&keywords, "keepalives_idle", "5");
    add_keyword(&keywords, "options", OPTIONS);
    if (password)
        add_keyword(&keywords, "password", password);
    PGconn *conn = PQconnectStartParams(keywords.name, keywords.value, 1);
    if (conn)
        PQsetNoticeProcessor(conn, log_notice, NULL);
    return conn;
}

static _Atomic size_t served; /* the host that accepted last, for all threads of the process */

size_t libpq_first(void)
{
    return atomic_load(&served);
}

void libpq_leave(struct libpq_place place)
{
    atomic_compare_exchange_strong(&served, &place.turn, (place.turn + 1) % place.hosts);
}

static PGconn *connect_one(const char *url, const char *password, size_t turn, int64_t timeout_ms,
                           struct err *err)
{
    PGconn *conn = libpq_start(url, password, turn, NULL);
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

PGconn *libpq_connect(const char *url, const char *password, int64_t timeout_ms,
                      struct libpq_place *place, struct err *err)
{
    PGconn *conn = NULL;
    size_t hosts = libpq_hosts(url);
    size_t first = libpq_first();
    for (size_t i = 0; !conn && i < hosts; i++) {
        *place = (struct libpq_place){ (first + i) % hosts, hosts };
        conn = connect_one(url, password, place->turn, timeout_ms, err);
    }
    if (conn) /* unless another thread has found another host */
        atomic_compare_exchange_strong(&served, &first, place->turn);
    return conn;
}
