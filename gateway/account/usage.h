/*
 * gateway/account/usage.h - GET …/account/usage: an account's ledger entries, or sums of them.
 *
 * Sums are of whole UTC days and come from precomputed sums (gateway/sql/005-usage.sql), so their
 * cost does not depend on the number of calls. A page of entries searches at most USAGE_LOOK
 * entries. Both use a separate connection, one query at a time: they never delay token checks or
 * charges.
 */
#pragma once

#include "db/pool.h"
#include "gateway/account/asker.h"
#include "gateway/account/usage-query.h"

enum {
    USAGE_LOOK = 5000, /* entries that a page searches */
    USAGE_WAIT_MS = 500,
    USAGE_TIMEOUT_MS = 2000,
    USAGE_BYTES = 1 << 20, /* of a response; a group is a day, a tool or a token */
};

/*
 * Append {from, to, group_by, groups: [{key, calls, credits}]}; key is null for calls whose tool or
 * token no longer exists. Or append {entries: [{seq, at, kind, tool, credits, balance_after,
 * reference, token_id}], next_cursor}; credits is the change, negative for a call. A page may be
 * short or empty and still have a next_cursor. Errors: ERR_LEDGER_UNAVAILABLE; ERR_OVERLOADED while
 * sums are still being computed: a retry continues that work.
 */
bool usage_write(struct pool *pool, const struct asker *asker,
                 const struct usage_question *question, struct buf *out,
                 struct err *err) must_check;
