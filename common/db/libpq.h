/*
 * common/db/libpq.h - what the files of common/db share of libpq. Private to them: whoever asks a
 * database sees rows (db/db.h) or JSON (db/sql.h).
 */
#pragma once

#include <libpq-fe.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

/* How many servers a connection string names (its host or hostaddr is a list): at least 1. */
size_t libpq_hosts(const char *url);

/*
 * Begin to connect to one of them: number turn, counted round. password may be NULL. address: its
 * address, if that is known; else NULL, and its name is looked up, which blocks for as long as the
 * resolver takes. PQconnectPoll() goes on. NULL: out of memory. libpq would go through the list by
 * itself, but knows no limit of time for one host when it does not block (PostgreSQL 15
 * manual, 34.1, PQconnectStartParams): one that drops packets would have the time of all.
 */
PGconn *libpq_start(const char *url, const char *password, size_t turn, const char *address);

/* The turn to begin with: the host that libpq_connect() found last, so that a process that opens
 * several connections meets a host that is away once. */
size_t libpq_first(void);

/* Which host a connection leads to, of how many. */
struct libpq_place {
    size_t turn, hosts;
};

/* That host came too late with an answer: whoever connects from now on begins with the next one,
 * unless another was found since. A primary that has been replaced may take statements, and wait
 * for ever for a standby that is no longer its own. */
void libpq_leave(struct libpq_place place);

/* Connect, blocking, to the first server that takes writes, for at most timeout_ms each; *place is
 * where. NULL on failure: ERR_LEDGER_UNAVAILABLE and the last server's words, for the operator
 * (they never reach a customer). */
PGconn *libpq_connect(const char *url, const char *password, int64_t timeout_ms,
                      struct libpq_place *place, struct err *err);
