/*
 * gateway/outcomes/unknown-outcomes.h - writes to the table unknown_outcome
 * (gateway/sql/013-unknown-outcomes.sql) which clients got outcome_unknown, and later the
 * outcomes of their calls, so that no log has to be read for it.
 *
 * The ledger adds an event, which never waits for the database. A thread writes the events over
 * its own connection, which exists only while there are some, and tries again each second until
 * the database responds. With a folder, each event is first a line of a file there
 * (journal.h). The events of a gateway that stopped, or was killed, before it could write them are
 * written by the next gateway that looks: each does at its start and every 30 s.
 *
 * Memory and file have space for OUTCOME_EVENTS_MAX events. Further ones are only logged and
 * counted, and so are those in memory when a gateway without a folder stops.
 */
#pragma once

#include "admin/metrics.h"
#include "base/codec/uuid.h"
#include "gateway/ledger/ledger.h"

enum { OUTCOME_EVENTS_MAX = 8192 };

struct unknown_outcomes;

struct unknown_outcomes_options {
    const char *url;      /* libpq connection string of the gateway's role; borrowed */
    const char *password; /* NULL: no password; borrowed */
    const char *folder;   /* of the files; "": none */
    struct metrics *metrics;
};

/* Start the thread. If the folder is not usable, log that and go on without it: calls are worth
 * more than the record of a few. */
struct unknown_outcomes *unknown_outcomes_start(const struct unknown_outcomes_options *options)
    must_check;

/* Write what waits, if the database responds within 2 s, and stop the thread. Accepts NULL. */
void unknown_outcomes_stop(struct unknown_outcomes **outcomes);

/* Adds an event. When it returns, a killed process does not lose it. */
struct outcome_listener unknown_outcomes_listener(struct unknown_outcomes *outcomes);
