/*
 * portal/usage/page.h - pages of an account's ledger entries, newest first, keyed by number.
 */
#pragma once

#include "portal/usage/days.h"

enum {
    ENTRIES_A_PAGE = 50,
    ENTRIES_LOOKED_THROUGH =
        5000, /* entries searched for one page of a filter: bounds the work, however few match */
};

/* A range of the account's entries. */
struct span {
    int64_t before; /* entries below this number */
    int64_t first;  /* and not below this one; 0: no limit */
};

/*
 * Append a page of entries (entry_add() of calls.h), at most 50, newest first: all kinds, or the
 * calls of a filter. *older: the next page begins below this number; 0: this is the last.
 */
bool entries_page(struct sql *sql, const char *account, const struct usage_filter *filter,
                  struct span span, cJSON *list, int64_t *older, struct err *err) must_check;

/* SQL joins for ledger_entry e: its tool t and token k. */
extern const char entry_tables[];

/* The condition of a filter for ledger_entry e. Parameters from $4 on: from, to, tool, token. $1 is
 * the account. */
extern const char entry_where[];
