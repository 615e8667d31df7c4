/*
 * portal/usage/calls.h - entries and holds of an account as rows that pages show.
 */
#pragma once

#include "db/sql.h"

/* In a statement: how token k is called. One that tollctl made may have no name. */
#define TOKEN_CALLED                         \
    "case when k.kind = 2 then 'playground'" \
    " else coalesce(nullif(k.name, ''), '…' || k.last4) end"

/*
 * Append the newest calls of an account, at most 20: entries of usage and refund, and holds that
 * were not captured, by time. { time, tool, token, outcome ("charged", "given back", "running",
 * "failed, free", "expired, free"), credits, request }. A call that failed without a hold cost
 * nothing and is in the operator's log alone.
 */
bool calls_newest(struct sql *sql, const char *account, cJSON *list, struct err *err) must_check;

/*
 * Turn a row of ledger_entry (kind, amount, balance_after, reference, at, tool, token, note, seq)
 * into the same, with what (the kind in words), change ("-5", "+100") and balance.
 */
void entry_add(const cJSON *row, cJSON *list);

/* The kind of an entry as files have it, "signup_grant", and as pages say it, "sign-up credits". */
const char *entry_kind(int64_t kind);
const char *entry_words(int64_t kind);
