/*
 * portal/usage/days.h - what was used, by day, tool and token: from usage_day and
 * usage_margin, exact to the last entry that is counted.
 */
#pragma once

#include "db/sql.h"
#include "portal/public/catalog-cache.h"

/* Which calls; every text but account may be "" for no limit. */
struct usage_filter {
    const char *account;
    const char *from; /* days, both included, UTC: 2026-11-23 */
    const char *to;
    const char *tool;  /* its name */
    const char *token; /* its id, or "playground" */
};

/* Count the entries that are not counted yet, at most 20,000. *left is what is still to be counted:
 * above 0 the sums are not yet those of now. */
bool usage_count(struct sql *sql, const char *account, int64_t *left, struct err *err) must_check;

/*
 * Add sums to a model: total {calls, credits}, days [{day, calls, credits}] newest first, tools and
 * tokens [{name, calls, credits}] by credits, chart (a picture), legend [{picture, title}],
 * first_seq and last_seq of the entries (0: none), has_usage. The chart has every day from
 * filter->from to filter->to.
 */
bool usage_sums(struct sql *sql, struct catalog_cache *catalog, const struct usage_filter *filter,
                cJSON *model, struct err *err) must_check;

/* Add only first_seq and last_seq, for a page of what lies between. */
bool usage_bounds(struct sql *sql, const struct usage_filter *filter, cJSON *model,
                  struct err *err) must_check;
