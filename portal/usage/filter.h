/*
 * portal/usage/filter.h - the filter of /portal/usage and its CSV file, from a query.
 */
#pragma once

#include "portal/page/visit.h"
#include "portal/usage/days.h"

enum { USAGE_DAYS_MAX = 366, USAGE_DAYS_USUAL = 30 };

/*
 * Read from, to, tool and token of the visit's query; borrowed. Without days: the last 30,
 * including today. False: the errors are in the visit.
 */
bool filter_read(struct visit *visit, const char *today, struct usage_filter *filter) must_check;

/* Append the form's fields with their values, and the parts of links to other pages. tokens: the
 * account's, rows of {token_id, name}. */
void filter_add(struct visit *visit, const struct usage_filter *filter, const cJSON *tokens,
                cJSON *fields, cJSON *filters);
