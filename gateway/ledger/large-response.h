/*
 * gateway/ledger/large-response.h - stores a large response for its Idempotency-Key, and reads it
 * for a replay (table large_response).
 *
 * It is stored before its call is charged, over separate connections, in compressed pieces. So it
 * never delays the charges and admissions of other calls, and needs memory for one piece only.
 */
#pragma once

#include "base/codec/uuid.h"
#include "base/os/memory-budget.h"
#include "gateway/ledger/admission.h"

enum {
    LARGE_RESPONSE_BYTES = 1 << 20,         /* larger ones are stored here */
    LARGE_RESPONSE_MAX_BYTES = 25 << 20,    /* more than a reply of any contract in its envelope */
    LARGE_RESPONSE_PIECE_BYTES = 256 << 10, /* before compression */
    LARGE_RESPONSES_MAX = 64,               /* at the same time */
    LARGE_RESPONSE_WAIT_MS = 2000,          /* for a place */
    LARGE_RESPONSE_TIMEOUT_MS = 2000,       /* of a statement; all of a response: 30 s */
};

/* The connections of a gateway; any thread may use them. */
struct large_responses;

/* At most `count` responses are stored or read at the same time, and at most per_account of one
 * account (large-response-places.h). url and password are as for pool_new(). */
struct large_responses *large_responses_new(const char *url, const char *password, size_t count,
                                            size_t per_account);
void large_responses_free(struct large_responses **responses);

/*
 * Store the response of the call with a key that has this open hold. If the hold has
 * ended, nothing is stored, and the capture will fail. Errors: ERR_OVERLOADED without a place for
 * it in LARGE_RESPONSE_WAIT_MS; ERR_LEDGER_UNAVAILABLE.
 */
bool large_response_store(struct large_responses *responses, const struct uuid *account,
                          const struct uuid *hold, struct text response,
                          struct err *err) must_check;

struct large_response_key {
    struct uuid account;
    uint8_t token[DIGEST_BYTES]; /* of the account */
    uint8_t key[DIGEST_BYTES];   /* as in struct admission */
};

/*
 * Append the stored response to out, for a call that is charged. Its memory is reserved first. If
 * this succeeds, the charge is never refunded.
 * Errors: ERR_INTERNAL if it is missing or damaged; ERR_OVERLOADED without a place or memory for
 * it; ERR_LEDGER_UNAVAILABLE.
 */
bool large_response_load(struct large_responses *responses, const struct large_response_key *key,
                         struct memory_budget *budget, struct reservation *reservation,
                         struct buf *out, struct err *err) must_check;

/* Compress a piece: append it to packed. */
void large_response_pack(struct text plain, struct buf *packed);

/* Append the plain bytes of a piece to out. False, with nothing appended, if it is damaged or does
 * not have this size, which is above 0. */
bool large_response_unpack(struct text packed, size_t size, struct buf *out) must_check;
