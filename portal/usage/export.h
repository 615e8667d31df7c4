/*
 * portal/usage/export.h - entries as a file of comma-separated values, of any number of lines in
 * constant memory.
 */
#pragma once

#include "portal/page/visit.h"
#include "portal/usage/days.h"

/*
 * Answer with the entries of the visit's account up to number `last`, oldest first; with a filter
 * the calls that it takes, from number `first` on. name is that of the file, without its day. When
 * no place is left: 503 "Exports are busy. Try again in a minute."
 */
void export_answer(struct visit *visit, const char *name, const struct usage_filter *filter,
                   int64_t first, int64_t last);
