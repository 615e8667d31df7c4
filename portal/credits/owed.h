/*
 * portal/credits/owed.h - credits that a refund or a dispute took back when they were spent
 * already.
 */
#ifndef PORTAL_CREDITS_OWED_H
#define PORTAL_CREDITS_OWED_H

#include <cjson/cJSON.h>
#include <stdint.h>

/* What the account $1 owes, as a column. */
#define OWED                                                         \
    "(select coalesce(sum(o.owed), 0)::bigint from purchase_order o" \
    "  where o.account_id = $1 and o.owed > 0)"

/* Tell of them in a page's banners; 0: nothing to tell. */
void owed_add(int64_t owed, cJSON *banners);

#endif
