/*
 * gateway/account/credits.h - GET …/account/credits: the balance, its parts, and the caps of the
 * token in use.
 */
#pragma once

#include "gateway/ledger/admission.h"
#include "text/json.h"

/* Add {credits, held, granted, purchased, used, as_of, token: {name, scopes, expires_at, and the
 * caps}}, and, if the account has a plan, plan. Scopes [] allows all tools. */
void credits_write(const struct account_snapshot *snapshot, const struct token_facts *facts,
                   cJSON *result);

/* Add plan: {name, since}. */
void plan_add(cJSON *result, const char *name, int64_t since_ms);

/* Add {cap_daily, spent_today, cap_total, spent_total}. A null cap is unlimited. For a token made
 * without caps, spending is null too: it is not counted. */
void credits_add_caps(cJSON *token, const struct token_facts *facts);
