/*
 * portal/public/error-rows.h - the rows of docs/api/errors.md, embedded when the program is built
 * (portal/public/error-rows.py): pages say of a code what the documentation says.
 */
#pragma once

#include <stddef.h>

struct error_row {
    const char *section; /* the heading above it */
    const char *status;  /* "400" */
    const char *code;
    const char *when; /* plain text: the condition and the remedy */
};

extern const struct error_row error_rows[]; /* in the document's order */
extern const size_t error_row_count;

/* The row of a code; NULL: not found. */
const struct error_row *error_row_find(const char *code);
