/*
 * gateway/account/invoices-query.h - the query of GET …/account/invoices.
 *
 *   from, to    times (RFC 3339) or dates, UTC, of issue; `to` is exclusive. Default: all, also
 *               those that have no number yet.
 *   limit       documents per page, 1 to 200; default 50
 *   cursor      next_cursor of the previous page
 */
#pragma once

#include <stdint.h>

#include "base/err.h"
#include "base/text.h"

enum { INVOICES_LIMIT = 50, INVOICES_LIMIT_MAX = 200 };

struct invoices_question {
    int64_t from_ms; /* by clock_wall_ms(); -1: any */
    int64_t to_ms;   /* exclusive; -1: any */
    int64_t limit;
    int64_t before; /* column `place` of the last document before this page */
};

/* Read a query (as sent, without the ?). Errors: ERR_INVALID_QUERY; its message does not repeat
 * values. */
bool invoices_read(struct text query, struct invoices_question *question,
                   struct err *err) must_check;
