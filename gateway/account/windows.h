/*
 * gateway/account/windows.h - GET …/account/limits: how full the account's windows are, as the next
 * call will find them.
 */
#pragma once

#include "db/pool.h"
#include "gateway/account/asker.h"
#include "gateway/catalog/catalog.h"
#include "svc/limits.h"

struct windows; /* of one account, at one moment */

/* Read them, over a connection of gateway/account/usage.h. Errors: ERR_LEDGER_UNAVAILABLE. */
bool windows_read(struct pool *pool, const struct catalog *catalog, const struct asker *asker,
                  struct windows **windows, struct err *err) must_check;
void windows_free(struct windows **windows);

/*
 * Add {as_of, global, endpoints, classes, daily}: of each window limit, used and reset_seconds,
 * until its oldest call leaves it; 0 when there is none. Endpoints are tools that were called in
 * the last minute; classes and daily are all that have such a limit.
 */
void windows_tell(const struct windows *windows, const struct limits *limits, cJSON *result);
