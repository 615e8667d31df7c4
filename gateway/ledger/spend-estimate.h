/*
 * gateway/ledger/spend-estimate.h - decides whether a call's work may start before its admission.
 *
 * A short, pure tool runs first; one statement then admits and charges the call
 * (docs/decisions/007-one-write.md). If the ledger rejects it, the work is lost. To keep that rare,
 * a call starts early only if the account's last known credits and windows have ample room for it
 * and for this gateway's other early calls. The estimate need not be exact: the ledger decides.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gateway/ledger/admission.h"

enum {
    SPEND_ESTIMATE_SHARE = 8, /* unpaid calls use at most 1/8 of what the account can spend */
    SPEND_ESTIMATE_CALLS_MAX = 256,
};

struct spend_estimate; /* thread-safe */

/* It is kept by token and client address: a token with networks gets no work done elsewhere. For
 * about max of these, 136 bytes each, allocated when used. */
struct spend_estimate *spend_estimate_new(size_t max);
void spend_estimate_free(struct spend_estimate **estimate);

/* The ledger admitted a call of this token from this address and returned the snapshot on this
 * connection (db_connection()). */
void spend_estimate_update(struct spend_estimate *estimate, const struct admission *admission,
                           const struct account_snapshot *snapshot, uint64_t connection);

/* The ledger rejected a call: no call of the token from this address starts early until it admits
 * one. */
void spend_estimate_block(struct spend_estimate *estimate, const struct admission *admission);

/* True: the call may start. It counts until spend_estimate_release(). *optimistic has the position
 * in the ledger above which its charge will be. */
bool spend_estimate_take(struct spend_estimate *estimate, const struct admission *admission,
                         struct optimistic_admission *optimistic);
void spend_estimate_release(struct spend_estimate *estimate, const struct admission *admission);
