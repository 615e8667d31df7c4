/*
 * portal/credits/owed.h - banners about missing credits: a refund or dispute deducted credits that
 * were already spent, or a sign-up grant was withheld.
 */
#pragma once

#include <cjson/cJSON.h>
#include <stdint.h>

/* What the account $1 owes, as a column. */
#define OWED                                                         \
    "(select coalesce(sum(o.owed), 0)::bigint from purchase_order o" \
    "  where o.account_id = $1 and o.owed > 0)"

/* Add a banner about it; 0: none. */
void owed_add(int64_t owed, cJSON *banners);

/* The sign-up grant that the account $1 waits for, as a column. */
#define WITHHELD "(select w.withheld from account w where w.account_id = $1)"

/* Add a banner that says when the grant comes and whom to contact; 0: none. */
void withheld_add(int64_t withheld, const char *contact, cJSON *banners);
