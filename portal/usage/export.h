/*
 * portal/usage/export.h - entries as a CSV file of any length, in constant memory.
 */
#pragma once

#include "portal/page/visit.h"
#include "portal/usage/days.h"

/*
 * Respond with the account's entries up to number `last`, oldest first. With a filter: its calls,
 * from number `first` on. name is the file's name without the day. If all places are taken: 503
 * "Too many exports are running. Try again in a minute."
 */
void export_answer(struct visit *visit, const char *name, const struct usage_filter *filter,
                   int64_t first, int64_t last);
