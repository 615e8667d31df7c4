/*
 * tests/simulator/compare/state.h - the rows of a model in PostgreSQL, and both as text.
 */
#pragma once

#include "../model/model.h"
#include "base/buf.h"

/* Replace the clock of ledger_prune() in PostgreSQL. */
void state_load_clock(const struct model *model);

/* Replace all rows in PostgreSQL by those of the model. */
void state_load(const struct model *model);

/* The bytes of a piece of a large response. */
const char *state_piece_hex(const struct m_piece *piece);

/* A line for each row that matters for money, in the order of strcmp(). */
void state_of_model(const struct model *model, struct buf *out);
const char *state_query(void); /* returns one text */
