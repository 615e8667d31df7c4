/*
 * tests/simulator/compare/compare.h - each statement of a schedule in the model and in a real
 * PostgreSQL: the returned rows and all rows of the ledger must be equal.
 */
#pragma once

#include "../sessions.h"

/* Begin with this database in both. */
void compare_load(const struct model *model);

/* What another session has locked, as bits of accounts: their balances, their tokens with counters
 * or without, and other rows. */
struct locks {
    unsigned accounts, tokens, plain_tokens;
    struct m_row_locks rows;
};

/* Run a statement in PostgreSQL at now_ms, while another session holds these locks. after: the
 * model after it. False: something differs; then both are printed. */
bool compare_statement(const struct request *request, const struct response *response,
                       const struct model *after, struct locks locks, int64_t now_ms);

/* The same of a query with one value as text; expected: the SQLSTATE of an error, else the value,
 * "" for NULL. A query that waits for a lock fails. */
bool compare_query(const char *sql, const char *expected, const struct model *after,
                   struct locks locks, int64_t now_ms);
