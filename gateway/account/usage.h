/*
 * gateway/account/usage.h - GET …/account/usage: what an account used, entry by entry or in sums.
 *
 * Sums are of whole days, UTC, from the sums of gateway/sql/005-usage.sql, so that a question costs
 * the same whatever was called; a page of entries looks through USAGE_LOOK at most. Both are read
 * over a connection of their own, a question at a time: token checks and charges never wait behind
 * it.
 */
#pragma once

#include "db/pool.h"
#include "gateway/account/asker.h"
#include "gateway/account/usage-query.h"

enum {
    USAGE_LOOK = 5000, /* entries that a page looks through */
    USAGE_WAIT_MS = 500,
    USAGE_TIMEOUT_MS = 2000,
    USAGE_BYTES = 1 << 20, /* of an answer: a group is a day, a tool or a token */
};

/*
 * Append as JSON {from, to, group_by, groups: [{key, calls, credits}]}, where a key is null for
 * calls of whom nobody knows it any more; or {entries: [{seq, at, kind, tool, credits,
 * balance_after, reference, token_id}], next_cursor}: credits is the change, below 0 for a call,
 * and a page may be short or empty and still have a next_cursor. Errors: ERR_LEDGER_UNAVAILABLE;
 * ERR_OVERLOADED while calls are still added up, which asking again goes on with.
 */
bool usage_tell(struct pool *pool, const struct asker *asker, const struct usage_question *question,
                struct buf *out, struct err *err) must_check;
