/*
 * tests/simulator/server.h - the PostgreSQL servers of a schedule, behind the functions of libpq.
 *
 * common/db/db.c is real. Its connections lead to servers whose databases are models
 * (model/model.h). The seed decides about each statement: executed or not, committed or not, its
 * response lost, late, torn or refused, or its server failed over to a replica that lacks the last
 * commits.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "model/model.h"

enum { SERVERS_MAX = 2 };

/* The faults of statements, of 10,000 each; all 0 once faults stop. */
struct statement_faults {
    unsigned lost_before; /* the connection breaks before it arrives */
    unsigned lost_after;  /* committed, and the connection breaks before the response arrives */
    unsigned late;        /* committed after late_ms at most, with its locks held until then */
    unsigned hung;        /* no response; executed later or never */
    unsigned refused;     /* rolled back, with a transient SQLSTATE */
    int64_t late_ms;
};

/* Begin with `count` servers, the first of which is the primary, and its database. */
void servers_begin(size_t count, const struct model *model, const struct statement_faults *faults);
void servers_set_faults(const struct statement_faults *faults);

/* The database as its last commit left it. */
struct model *servers_database(void);

/* The database's clock, in ms since 1970. */
int64_t servers_now_ms(void);
void servers_set_clock(int64_t ahead_ms);

/* The primary restarts: statements under way are rolled back, connections break. */
void servers_restart(int64_t down_us);

/* Another server becomes the primary, without the last `lost` commits. Returns the accounts that
 * have lost some, as bits. */
unsigned servers_fail_over(size_t lost, int64_t down_us);

/* A session without a gateway locks these accounts for a while. */
void servers_lock(unsigned accounts, int64_t for_us);

/* A process was killed: its connections are gone. */
void servers_drop_connections(int owner);

/* No statement is under way. */
bool servers_are_idle(void);

/* For the functions that do not go through libpq in the simulation: wait as a statement does, and
 * say whether it is executed and whether its response arrives. */
struct statement_fate {
    bool is_executed;
    bool is_answered;
};
struct statement_fate servers_visit(void);
