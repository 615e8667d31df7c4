/*
 * tests/simulator/compare/batches.h - random statements, denser than those of gateways: all
 * functions of the ledger, near the limits of time and money.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Run the statements of a seed in the model and in PostgreSQL. False: they differ;
 * world.violation says so. */
bool batches_run(uint64_t seed);
