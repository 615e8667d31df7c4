/*
 * portal/credits/owed.h - credits that are not there, and why: a refund or a dispute took them back
 * when they were spent already, or a sign-up grant was withheld.
 */
#pragma once

#include <cjson/cJSON.h>
#include <stdint.h>

/* What the account $1 owes, as a column. */
#define OWED                                                         \
    "(select coalesce(sum(o.owed), 0)::bigint from purchase_order o" \
    "  where o.account_id = $1 and o.owed > 0)"

/* Tell of them in a page's banners; 0: nothing to tell. */
void owed_add(int64_t owed, cJSON *banners);

/* The sign-up grant that the account $1 waits for, as a column. */
#define WITHHELD "(select w.withheld from account w where w.account_id = $1)"

/* Say in a page's banners when it comes, and whom to ask (portal_contact()); 0: nothing to say. */
void withheld_add(int64_t withheld, const char *contact, cJSON *banners);
