/*
 * common/db/libpq.h - what the files of common/db share of libpq. Private to them: whoever asks a
 * database sees rows (db/db.h) or JSON (db/sql.h).
 */
#ifndef DB_LIBPQ_H
#define DB_LIBPQ_H

#include <libpq-fe.h>
#include <stdint.h>

#include "base/err.h"

/* Begin to connect; password may be NULL. PQconnectPoll() goes on. NULL: out of memory. */
PGconn *libpq_start(const char *url, const char *password);

/* Connect, blocking, for at most timeout_ms. NULL on failure: ERR_LEDGER_UNAVAILABLE and the
 * server's words, for the operator (they never reach a customer). */
PGconn *libpq_connect(const char *url, const char *password, int64_t timeout_ms, struct err *err);

#endif
