/*
 * tests/simulator/compare/queries.h - functions of the ledger that do not run as a batch: those of
 * operators, of large responses, and the preview of an admission.
 */
#pragma once

/* Run a random one in the model and in PostgreSQL. */
void queries_run(void);
