/*
 * portal/usage/days.h - usage by day, tool and token, from usage_day and usage_margin. It is exact
 * up to the last counted entry.
 */
#pragma once

#include "db/sql.h"
#include "portal/public/catalog-cache.h"

/* Selects calls. Each text except account may be "", for no limit. */
struct usage_filter {
    const char *account;
    const char *from; /* days, inclusive, UTC: 2026-11-23 */
    const char *to;
    const char *tool;  /* its name */
    const char *token; /* its id, or "playground" */
};

/* Count entries that are not counted yet, at most 20,000. *left: the rest; above 0, the sums are
 * not up to date. */
bool usage_count(struct sql *sql, const char *account, int64_t *left, struct err *err) must_check;

/*
 * Add sums to a model: total {calls, credits}, days [{day, calls, credits}] newest first, tools and
 * tokens [{name, calls, credits}] by credits, chart (an image), legend [{picture, title}],
 * first_seq and last_seq of the entries (0: no entries), has_usage. The chart has every day
 * from filter->from to filter->to.
 */
bool usage_sums(struct sql *sql, struct catalog_cache *catalog, const struct usage_filter *filter,
                cJSON *model, struct err *err) must_check;

/* Add only first_seq and last_seq, for a page of older calls. */
bool usage_bounds(struct sql *sql, const struct usage_filter *filter, cJSON *model,
                  struct err *err) must_check;
