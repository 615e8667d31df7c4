/*
 * gateway/requests/request-log.h - writes records of requests to the request log
 * (gateway/sql/012-requests.sql), and never delays a request.
 *
 * A request's thread copies its record into a ring, without waiting and without allocating. One
 * thread writes the ring in batches over its own connection, each second or when 2,000 records
 * wait. What does not fit is dropped and counted: in a metric, and in the table request_loss, from
 * which pages say that records may be missing.
 *
 *   full      the ring is full: the database is slow or away for long
 *   share     an account wrote more than its share of a second (account-share.h)
 *   rejected  the database rejected a batch
 *   stopped   the process stopped before the records were written
 *
 * A process that is killed loses its ring, about a second of records, without counting them.
 */
#pragma once

#include <stdbool.h>

#include "admin/metrics.h"
#include "gateway/requests/record.h"

struct request_log;

struct request_log_options {
    const char *url;      /* libpq connection string of the gateway's role */
    const char *password; /* NULL: no password */
    struct metrics *metrics;
};

/* Start the thread. It connects, and reconnects whenever the connection is lost. */
struct request_log *request_log_start(const struct request_log_options *options);

/* Write what waits, for at most 2 s, then stop the thread. Accepts NULL. */
void request_log_stop(struct request_log **log);

/* Add a record, from any thread; NULL: the log is off. Sets record->sent_ms. */
void request_log_add(struct request_log *log, struct request_record *record);
