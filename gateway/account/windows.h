/*
 * gateway/account/windows.h - GET …/account/limits: the use of the account's rate windows, as the
 * next call finds them.
 */
#pragma once

#include "db/pool.h"
#include "gateway/account/asker.h"
#include "gateway/catalog/catalog.h"
#include "svc/limits.h"

struct windows; /* the windows of one account at one time */

/* Read the windows over a connection of gateway/account/usage.h. Errors: ERR_LEDGER_UNAVAILABLE. */
bool windows_read(struct pool *pool, const struct catalog *catalog, const struct asker *asker,
                  struct windows **windows, struct err *err) must_check;
void windows_free(struct windows **windows);

/*
 * Add {as_of, global, endpoints, classes, daily}, and, if the account has a plan, plan. Each window
 * has limit, used and reset_seconds: until its oldest call leaves it, 0 if it is empty. Endpoints
 * lists the tools called in the last minute; classes and daily list all windows with a limit.
 */
void windows_write(const struct windows *windows, const struct limits *defaults, cJSON *result);
