/*
 * gateway/ledger/refusals.h - a cache of rejections, so that a client that floods the API takes no
 * database time from paying customers.
 *
 * Only the database admits. A rejection is repeated from memory where it cannot have changed:
 * - a token that is unknown, revoked or expired;
 * - a full window, until its oldest call leaves it: a call in a window is never given back;
 * - an address that is not in the token's networks.
 * A valid token is cached too, but only to order errors: 403 precedes errors of the request.
 *
 * An unknown, revoked or expired token is so for all clients. All else is kept by token and
 * address: a stolen token elsewhere neither blocks its owner nor learns about their windows.
 *
 * Retry times from memory are exact to the second, like those of the ledger. If the unknown moment
 * between request and reply could change the second, the ledger is asked again.
 */
#pragma once

#include <netinet/in.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "gateway/ledger/admission.h"

/* How long an entry is used, and so how late a change is seen:
 * - a token that was tried before it was created: REFUSALS_BAD_TOKEN_MS;
 * - a revoked token or suspended account, by requests that fail anyway (400, 429):
 *   REFUSALS_GOOD_TOKEN_MS;
 * - networks to which this address was added: REFUSALS_NETWORK_MS;
 * - raised limits of an account whose window was full: REFUSALS_WINDOW_MS. */
enum {
    REFUSALS_BAD_TOKEN_MS = 60000,
    REFUSALS_GOOD_TOKEN_MS = 1000,
    REFUSALS_NETWORK_MS = 1000,
    REFUSALS_WINDOW_MS = 1000,
};

struct refusals; /* safe from every thread */

/* For about max tokens and full windows, 220 bytes each, allocated when used. A new entry replaces
 * the one that expires first. */
struct refusals *refusals_new(size_t max);
void refusals_free(struct refusals **refusals);

/* What the database says about a token. */
struct token_verdict {
    enum err_kind refusal;
    struct uuid token_id; /* all 0: there is no such token */
};

/* Store the verdict on an account's token, sent from this address: ERR_NONE, ERR_AUTH_* or
 * ERR_IP_NOT_ALLOWED. Other verdicts are not stored: an account can be suspended and resumed at any
 * time. */
void refusals_add_token(struct refusals *refusals, const struct uuid *account,
                        const uint8_t token[static DIGEST_BYTES], const struct in6_addr *address,
                        const struct token_verdict *verdict, int64_t now_ms);
bool refusals_find_token(struct refusals *refusals, const struct uuid *account,
                         const uint8_t token[static DIGEST_BYTES], const struct in6_addr *address,
                         struct token_verdict *verdict, int64_t now_ms);

/* Store a rejected admission, requested at asked_ms. Stored are: a bad token; a full window of a
 * minute, unless a daily limit applies too, because a day's call can be given back. */
void refusals_add(struct refusals *refusals, const struct admission *admission,
                  enum err_kind refusal, const struct account_snapshot *snapshot, int64_t asked_ms,
                  int64_t now_ms);

/* True: it would be rejected again, with *refusal and *snapshot. */
bool refusals_find(struct refusals *refusals, const struct admission *admission,
                   enum err_kind *refusal, struct account_snapshot *snapshot, int64_t now_ms);
