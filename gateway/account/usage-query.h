/*
 * gateway/account/usage-query.h - the query of GET …/account/usage.
 *
 *   from, to      times (RFC 3339) or dates, UTC; `to` is exclusive. Default: the last 30 days.
 *   tool, token   calls of one tool by its name, by one token by its id
 * For entries, newest first:
 *   kind          entries of one kind
 *   limit         entries per page, 1 to 200; default 50
 *   cursor        next_cursor of the previous page
 * For sums:
 *   group_by      day, tool or token; from and to must be whole days
 */
#pragma once

#include "base/codec/uuid.h"
#include "gateway/catalog/catalog.h"

enum {
    USAGE_DAYS_MAX = 92,
    USAGE_DAYS = 30, /* without from and to: this many days, including today */
    USAGE_LIMIT = 50,
    USAGE_LIMIT_MAX = 200,
};

enum usage_by { USAGE_ENTRIES, USAGE_BY_DAY, USAGE_BY_TOOL, USAGE_BY_TOKEN };

struct usage_question {
    const struct catalog *catalog; /* of tool names; borrowed */
    int64_t from_ms;               /* by clock_wall_ms() */
    int64_t to_ms;                 /* exclusive */
    enum usage_by by;
    const struct offer *tool;    /* NULL: any */
    char token[UUID_TEXT_BYTES]; /* "": any */
    int64_t kind;                /* 0: any */
    int64_t limit;
    int64_t before; /* entries below this seq */
};

/* The kind with this number in the database, from 1; NULL: unknown. */
const char *usage_kind_name(int64_t kind);

/* Read a query (as sent, without the ?). Errors: ERR_INVALID_QUERY; its message does not repeat
 * values. */
bool usage_read(struct text query, int64_t now_ms, const struct catalog *catalog,
                struct usage_question *question, struct err *err) must_check;
