/*
 * portal/usage/calls.h - ledger entries and holds as rows for pages.
 */
#pragma once

#include "db/sql.h"

/* An SQL expression: the name of token k. A token from tollctl may not have one. */
#define TOKEN_CALLED                         \
    "case when k.kind = 2 then 'playground'" \
    " else coalesce(nullif(k.name, ''), '…' || k.last4) end"

/*
 * Append the account's newest calls by time, at most 20: entries of usage and refund, and holds
 * that were not captured: {time, tool, token, outcome ("charged", "refunded", "running", "failed,
 * free", "expired, free"), credits, request}. A call that failed without a hold was free, and is
 * only in the operator's log.
 */
bool calls_newest(struct sql *sql, const char *account, cJSON *list, struct err *err) must_check;

/*
 * Append a row of ledger_entry (kind, amount, balance_after, reference, at, tool, token, note, seq)
 * in the same form, with what (the kind in words), change ("-5", "+100"), balance, note and seq.
 */
void entry_add(const cJSON *row, cJSON *list);

/* The kind of an entry in CSV files, "signup_grant", and on pages, "sign-up credits". */
const char *entry_kind(int64_t kind);
const char *entry_words(int64_t kind);
