/*
 * tests/simulator/compare/batches.h - random statements, denser than those of gateways: all
 * functions of the ledger, near the limits of time and money.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "compare.h"

/* Run the statements of a seed in the model and in PostgreSQL. False: they differ;
 * world.violation says so. */
bool batches_run(uint64_t seed);

/* ---- for endings.c ---- */

/* A sweep or a prune. */
struct request *batches_step(enum statement_number statement, int64_t since_ms, int64_t limit);

/* Run a statement in both. locked: the accounts that it locks, of a batch. The model changes unless
 * it is an error. */
struct response batches_apply(const struct request *request, unsigned locked, struct locks others);

/* Run a random batch. */
void batches_run_one(void);

/* How many quotas a prune would delete. With a lower limit, it is not defined which. */
int64_t batches_old_quotas(void);
