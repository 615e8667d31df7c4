/*
 * tests/simulator/rows.h - statements and results in PostgreSQL's binary formats, for the model.
 */
#pragma once

#include <libpq-fe.h>

#include "sessions.h"

/* Decode the parameters of a statement. */
struct request *request_of(enum statement_number statement, int count, const char *const *values,
                           const int *sizes);

/* Encode a response as libpq returns it. */
PGresult *rows_of(const struct response *response);
