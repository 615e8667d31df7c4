/*
 * common/db/libpq.h - what the files of common/db share about libpq. Private to them: callers see
 * rows (db/db.h) or JSON (db/sql.h).
 */
#pragma once

#include <libpq-fe.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

/* The number of servers in a connection string (its host or hostaddr is a list): at least 1. */
size_t libpq_hosts(const char *url);

/*
 * Start to connect to one of them: number turn, modulo their number. password may be NULL. address
 * is its address, if known; if NULL, its name is resolved, which blocks. PQconnectPoll() continues.
 * NULL: out of memory.
 *
 * libpq itself could go through the list, but in non-blocking mode it has no timeout per host
 * (PostgreSQL 15 manual, 34.1, PQconnectStartParams): a host that drops packets would use all the
 * time.
 */
PGconn *libpq_start(const char *url, const char *password, size_t turn, const char *address);

/*
 * The turn to start with: the host that libpq_connect() found last, so that a process with several
 * connections tries an unavailable host once.
 */
size_t libpq_first(void);

/* The host of a connection, and the number of hosts. */
struct libpq_place {
    size_t turn, hosts;
};

/*
 * That host did not respond in time: later connects start with the next one, unless another host
 * was found since. A primary that was replaced may accept statements, and wait forever for a
 * standby that it no longer has.
 */
void libpq_leave(struct libpq_place place);

/*
 * Connect, blocking, to the first server that accepts writes, for at most timeout_ms each; *place
 * is its host. NULL on failure: ERR_LEDGER_UNAVAILABLE with the last server's message, for the
 * operator (customers never see it).
 */
PGconn *libpq_connect(const char *url, const char *password, int64_t timeout_ms,
                      struct libpq_place *place, struct err *err);
