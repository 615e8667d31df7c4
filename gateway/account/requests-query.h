/*
 * gateway/account/requests-query.h - the query of GET …/account/requests.
 *
 *   from, to    times (RFC 3339) or dates, UTC; `to` is exclusive. Default: the last 30 days.
 *   tool        requests about one tool, by its name
 *   token       by one token, by its id
 *   status      2xx, 4xx, 5xx, or failed
 *   code        with this error code
 *   slower_ms   that took at least this long
 *   id          with this id: the gateway's, or the client's X-Request-Id
 *   limit       requests per page, 1 to 200; default 50
 *   cursor      next_cursor of the previous page
 */
#pragma once

#include "base/codec/uuid.h"
#include "gateway/catalog/catalog.h"

enum {
    REQUESTS_DAYS_MAX = 92,
    REQUESTS_DAYS = 30, /* without from and to: this many days, including today */
    REQUESTS_LIMIT = 50,
    REQUESTS_LIMIT_MAX = 200,
    REQUESTS_WORD_BYTES = 65, /* of a code, an id or a cursor, with its NUL */
};

struct requests_question {
    const struct catalog *catalog; /* of tool names; borrowed */
    int64_t from_ms;               /* by clock_wall_ms() */
    int64_t to_ms;                 /* exclusive */
    int64_t slower_ms;             /* 0: any */
    int64_t limit;
    const char *tool;            /* NULL: any */
    const char *status;          /* a static text; NULL: any */
    char token[UUID_TEXT_BYTES]; /* ""; any; same for the rest */
    char code[REQUESTS_WORD_BYTES];
    char id[REQUESTS_WORD_BYTES];
    char cursor[REQUESTS_WORD_BYTES]; /* microseconds since 1970, a dot, and an id */
};

/* Read a query (as sent, without the ?). Errors: ERR_INVALID_QUERY; its message does not repeat
 * values. */
bool requests_read(struct text query, int64_t now_ms, const struct catalog *catalog,
                   struct requests_question *question, struct err *err) must_check;
