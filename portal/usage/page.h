/*
 * portal/usage/page.h - entries of an account, a page at a time: newest first, by their number.
 */
#pragma once

#include "portal/usage/days.h"

enum {
    ENTRIES_A_PAGE = 50,
    ENTRIES_LOOKED_THROUGH =
        5000, /* for one page of a filter: bounded work, however few there are */
};

/* Part of the entries of an account. */
struct span {
    int64_t before; /* entries below this number */
    int64_t first;  /* and not below this one; 0: to the first of all */
};

/*
 * Append a page of entries (entry_add() of calls.h) to list, at most 50, newest first: every kind,
 * or with a filter the calls that it takes. *older is the number below which the next page begins;
 * 0: there is none.
 */
bool entries_page(struct sql *sql, const char *account, const struct usage_filter *filter,
                  struct span span, cJSON *list, int64_t *older, struct err *err) must_check;

/* In a statement about ledger_entry e: its tool t and token k. */
extern const char entry_tables[];

/* Of ledger_entry e: the condition of a filter, its parameters from $4: from, to, tool, token; $1
 * is the account. */
extern const char entry_where[];
