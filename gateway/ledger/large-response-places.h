/*
 * gateway/ledger/large-response-places.h - how many large responses are stored or read at the same
 * time, and how many of them for one account. Thread-safe.
 *
 * An account has fewer places than there are. So the large responses of one account never make
 * those of all others fail.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/codec/uuid.h"
#include "base/err.h"

struct large_response_places;

/* per_account is below count. */
struct large_response_places *large_response_places_new(size_t count, size_t per_account);
void large_response_places_free(struct large_response_places **places); /* none is taken */

/* Take a place for the account, and give it back. Waits up to wait_ms. Errors: ERR_OVERLOADED; the
 * message says whether all places or those of the account are taken. */
bool large_response_places_take(struct large_response_places *places, const struct uuid *account,
                                int64_t wait_ms, struct err *err) must_check;
void large_response_places_give(struct large_response_places *places, const struct uuid *account);
