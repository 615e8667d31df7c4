/*
 * gateway/account/credits.h - GET …/account/credits: what can be spent, how that came about, and
 * what the token in hand may spend of it.
 */
#pragma once

#include "gateway/ledger/admission.h"
#include "text/json.h"

/* Add {credits, held, granted, purchased, used, as_of, token: {name, scopes, expires_at, and the
 * caps}}; scopes [] is everything. */
void credits_tell(const struct account_snapshot *snapshot, const struct token_facts *facts,
                  cJSON *result);

/* Add {cap_daily, spent_today, cap_total, spent_total}: null is no cap, and of a token that was
 * made without one also what it has spent, which nobody counts. */
void credits_add_caps(cJSON *token, const struct token_facts *facts);
