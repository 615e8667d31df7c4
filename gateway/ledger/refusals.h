/*
 * gateway/ledger/refusals.h - how to refuse again without asking the ledger.
 *
 * The ledger alone says yes. What it refused a moment ago is refused from memory where the answer
 * cannot have changed, so that a client that hammers takes nothing from those who pay:
 * - a token that is unknown, revoked or expired stays so;
 * - a window that is full stays full until its oldest call leaves it, for calls are not given back.
 * That a token is good is remembered too, but only to choose between refusals: 403 goes before what
 * is wrong with a request. Nothing is ever admitted from here.
 *
 * The times of an answer from memory are exact to the second, as the ledger's own: where the moment
 * of its look at the clock (between asking and answering) could change a second, it is asked again.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "gateway/ledger/admission.h"

/* For how long an answer is taken from memory. So late is seen: a token that was tried before it
 * came into the database; by requests that are refused in any case (400 and the like, or 429), that
 * a token was revoked or an account suspended; raised limits of an account whose window was full.
 */
enum {
    REFUSALS_BAD_TOKEN_MS = 60000,
    REFUSALS_GOOD_TOKEN_MS = 1000,
    REFUSALS_WINDOW_MS = 1000,
};

struct refusals; /* safe from every thread */

/* Room for about so many tokens and full windows, 170 bytes each, taken when they come. What does
 * not fit takes the place of what ends soonest. */
struct refusals *refusals_new(size_t max);
void refusals_free(struct refusals **refusals);

/* The ledger's verdict about the token of an account: ERR_NONE, or one of ERR_AUTH_*. Others are
 * not remembered: an account is suspended and resumed at any time. */
void refusals_add_token(struct refusals *refusals, const struct uuid *account,
                        const uint8_t token[static DIGEST_BYTES], enum err_kind verdict,
                        int64_t now_ms);
bool refusals_find_token(struct refusals *refusals, const struct uuid *account,
                         const uint8_t token[static DIGEST_BYTES], enum err_kind *verdict,
                         int64_t now_ms);

/* The ledger refused the admission: it was asked at asked_ms and has answered. Remembered is what
 * is wrong with its token, and that a window of a minute is full when no daily limit decides as
 * well: a day's call can be given back. */
void refusals_add(struct refusals *refusals, const struct admission *admission,
                  enum err_kind refusal, const struct account_snapshot *snapshot, int64_t asked_ms,
                  int64_t now_ms);

/* Would it be refused again? Then *refusal says how, and *standing what the account looked like. */
bool refusals_find(struct refusals *refusals, const struct admission *admission,
                   enum err_kind *refusal, struct account_snapshot *snapshot, int64_t now_ms);
