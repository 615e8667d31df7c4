/*
 * gateway/account/usage.h - GET …/account/usage: what an account used, by day, tool or token.
 *
 * Whole days, UTC, from the sums of gateway/sql/005-usage.sql, so that a question costs the same
 * whatever was called. It is read over a connection of its own, a question at a time: token checks
 * and charges never wait behind it.
 */
#ifndef GATEWAY_ACCOUNT_USAGE_H
#define GATEWAY_ACCOUNT_USAGE_H

#include "base/codec/uuid.h"
#include "db/pool.h"
#include "gateway/catalog/catalog.h"

enum {
    USAGE_DAYS_MAX = 92,
    USAGE_DAYS = 30, /* without from and to: so many, today with them */
    USAGE_WAIT_MS = 500,
    USAGE_TIMEOUT_MS = 2000,
    USAGE_BYTES = 1 << 20, /* of an answer: a group is a day, a tool or a token */
};

enum usage_by { USAGE_BY_DAY, USAGE_BY_TOOL, USAGE_BY_TOKEN };

struct usage_question {
    int64_t from; /* days since 1970 */
    int64_t to;   /* not included */
    enum usage_by by;
};

/* Read a query (as sent, without the ?): from and to are dates, group_by is day (default), tool or
 * token. Errors: ERR_INVALID_QUERY, which repeats no value. */
bool usage_read(struct text query, int64_t today, struct usage_question *question,
                struct err *err) must_check;

/* Append {from, to, group_by, groups: [{key, calls, credits}]} as JSON. A key is null for calls of
 * whom nobody knows it any more. Errors: ERR_LEDGER_UNAVAILABLE; ERR_OVERLOADED while calls are
 * still added up, which asking again goes on with. */
bool usage_tell(struct pool *pool, const struct catalog *catalog, const struct uuid *account,
                const struct usage_question *question, struct buf *out, struct err *err) must_check;

#endif
