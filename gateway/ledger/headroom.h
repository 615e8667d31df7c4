/*
 * gateway/ledger/headroom.h - may a call's work begin before it is paid?
 *
 * A short, pure tool runs first, and its call is admitted and charged by one statement afterwards
 * (docs/decisions/007-one-write.md). The ledger alone decides whether it is; if not, the work was
 * for nothing. What it told last of a token's account keeps such work rare: a call goes ahead only
 * where credits and windows have plenty of room for it and for those of this gateway that are on
 * their way. Nothing here is exact, and nothing needs to be.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gateway/ledger/admission.h"

enum {
    HEADROOM_SHARE = 8, /* unpaid work is at most this part of what the account can spend */
    HEADROOM_CALLS_MAX = 256,
};

struct headroom; /* safe from every thread */

/* Room for about so many tokens, 120 bytes each, taken when they come. */
struct headroom *headroom_new(size_t max);
void headroom_free(struct headroom **headroom);

/* The ledger has admitted a call of this token, over the connection of this number
 * (db_connection()), and told what is left. */
void headroom_tell(struct headroom *headroom, const struct admission *admission,
                   const struct standing *standing, uint64_t connection);

/* It has refused one: nothing goes ahead until it admits one again. */
void headroom_forget(struct headroom *headroom, const struct admission *admission);

/* True: the call may go ahead. It is counted until headroom_return(), and *advance says since when
 * its charge could be in the books. */
bool headroom_take(struct headroom *headroom, const struct admission *admission,
                   struct advance *advance);
void headroom_return(struct headroom *headroom, const struct admission *admission);
