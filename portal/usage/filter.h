/*
 * portal/usage/filter.h - the filter of /portal/usage and its file, from a query.
 */
#pragma once

#include "portal/page/visit.h"
#include "portal/usage/days.h"

enum { USAGE_DAYS_MAX = 366, USAGE_DAYS_USUAL = 30 };

/*
 * Read from, to, tool and token of the visit's query, which the filter borrows from; without days
 * the last 30 up to today. What is wrong is refused beside its field (visit_refuse()), and false.
 */
bool filter_read(struct visit *visit, const char *today, struct usage_filter *filter) must_check;

/* Add the form's fields with what was asked for, and `filters` for links to other pages of it.
 * Needs the tokens of the account: rows of { token_id, name }. */
void filter_add(struct visit *visit, const struct usage_filter *filter, const cJSON *tokens,
                cJSON *model);
