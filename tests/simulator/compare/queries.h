/*
 * tests/simulator/compare/queries.h - functions of the ledger that do not run as a batch: those of
 * operators, of large responses, and the preview of an admission.
 */
#pragma once

#include "compare.h"
#include "story.h"

/* Run a random one in the model and in PostgreSQL. */
void queries_run(void);

/* ---- for endings.c ---- */

/* A query, and what it does in the model. */
struct query {
    char sql[2048];
    char value[512];
    char sqlstate[SQLSTATE_BYTES];
    struct locks locks; /* of another session */
};

/* Make a query, and run it in both, while another session holds these locks. */
void query_run(void (*make)(struct query *query), struct locks locks);

/* function: ledger_book or ledger_credit. */
void query_book(struct query *query, const char *function, const struct m_entry *entry);
void query_end_call(struct query *query, struct made call);
void query_put_large(struct query *query, const struct m_piece *piece);

/* With random values. */
void query_cap(struct query *query);
void query_get_large(struct query *query);
void query_replay_large(struct query *query);
