/*
 * gateway/requests/account-share.h - how many records an account may write in a second, so that a
 * flood of one account's requests fills neither the log nor its own pages: charged calls have their
 * own share, and rejected ones do not hide them.
 *
 * A table of fixed size. If two accounts share a place, the later one starts with a new share; the
 * dropped records of the other one are then reported as "of any account". The caller locks.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/codec/uuid.h"

enum {
    SHARE_CHARGED = 100, /* records of charged calls in a second */
    SHARE_OTHERS = 20,   /* and of all others */
};

struct account_share;

struct account_share *account_share_new(size_t accounts);
void account_share_free(struct account_share **share);

/* May the account write this record now (clock_ms())? False: it is counted as dropped. */
bool account_share_admit(struct account_share *share, const struct uuid *account, bool is_charged,
                         int64_t now_ms);

/* Dropped records that were not reported yet. */
struct dropped {
    struct uuid account; /* zeros: of any account */
    int64_t since_ms;    /* when the first was dropped */
    int64_t count;
};

/* Move at most `max` of these to list. Returns how many. */
size_t account_share_take_dropped(struct account_share *share, struct dropped *list, size_t max);
