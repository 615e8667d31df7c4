/*
 * gateway/catalog/packs.h - the packs that credits are sold in, for whoever reads prices.
 */
#ifndef GATEWAY_CATALOG_PACKS_H
#define GATEWAY_CATALOG_PACKS_H

#include "text/json.h"

/*
 * Read them from PostgreSQL, the smallest first: [{credits, usd: "5.00"}], the price under its
 * currency's name. Blocking, at most timeout_ms. The list is the caller's. Errors:
 * ERR_LEDGER_UNAVAILABLE.
 */
bool packs_read(const char *url, const char *password, int64_t timeout_ms, cJSON **packs,
                struct err *err) must_check;

#endif
