/*
 * gateway/catalog/packs.h - the packs that credits are sold in, and the credits that a new account
 * gets: what the documents of prices need from PostgreSQL.
 */
#pragma once

#include "text/json.h"

/*
 * Read them from PostgreSQL, the smallest first: [{credits, usd: "5.00"}], the price under its
 * currency's name; and the sign-up grant. Blocking, at most timeout_ms. The list is the
 * caller's. Errors: ERR_LEDGER_UNAVAILABLE.
 */
bool packs_read(const char *url, const char *password, int64_t timeout_ms, cJSON **packs,
                int64_t *signup_credits, struct err *err) must_check;
