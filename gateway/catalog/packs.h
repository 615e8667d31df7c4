/*
 * gateway/catalog/packs.h - reads the credit packs and the sign-up grant from PostgreSQL, for the
 * public documents.
 */
#pragma once

#include "text/json.h"

struct metrics;

/*
 * Read the packs, smallest first: [{credits, usd: "5.00"}], the price under its currency's name;
 * and the sign-up grant. Blocks for at most timeout_ms. The caller frees the list. Errors:
 * ERR_LEDGER_UNAVAILABLE.
 */
bool packs_read(const char *url, const char *password, int64_t timeout_ms, cJSON **packs,
                int64_t *signup_credits, struct err *err) must_check;

/* Set the metric of the lowest price of one credit, by currency. Costs are compared with it. */
void packs_count(const cJSON *packs, struct metrics *metrics);
