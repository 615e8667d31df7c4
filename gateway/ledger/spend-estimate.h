/*
 * gateway/ledger/spend-estimate.h - may a call's work begin before it is paid?
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
    SPEND_ESTIMATE_SHARE = 8, /* unpaid work is at most this part of what the account can spend */
    SPEND_ESTIMATE_CALLS_MAX = 256,
};

struct spend_estimate; /* safe from every thread */

/* Room for about so many tokens, 120 bytes each, taken when they come. */
struct spend_estimate *spend_estimate_new(size_t max);
void spend_estimate_free(struct spend_estimate **estimate);

/* The ledger has admitted a call of this token, over the connection of this number
 * (db_connection()), and told what is left. */
void spend_estimate_update(struct spend_estimate *estimate, const struct admission *admission,
                           const struct account_snapshot *snapshot, uint64_t connection);

/* It has refused one: nothing goes ahead until it admits one again. */
void spend_estimate_block(struct spend_estimate *estimate, const struct admission *admission);

/* True: the call may go ahead. It is counted until spend_estimate_release(), and *advance says
 * since when its charge could be in the books. */
bool spend_estimate_take(struct spend_estimate *estimate, const struct admission *admission,
                         struct optimistic_admission *optimistic);
void spend_estimate_release(struct spend_estimate *estimate, const struct admission *admission);
