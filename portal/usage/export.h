/*
 * portal/usage/export.h - entries as a file of comma-separated values, of any number of lines in
 * constant memory.
 */
#ifndef PORTAL_USAGE_EXPORT_H
#define PORTAL_USAGE_EXPORT_H

#include "portal/page/visit.h"
#include "portal/usage/days.h"

/* Who exports just now: at most 4 in a process, and each member once. It is memory and database
 * connections of this process that this saves, so that it is not counted over all portals: with n
 * of them a member may read n files at once, each with its own portal's work. */
struct exports;

struct exports *exports_new(void);
void exports_free(struct exports **exports); /* nobody may be exporting any more */

/* A place for one export of an account, until it is left; false: none is free, or the account has
 * one already. */
bool exports_enter(struct exports *exports, const char *account);
void exports_leave(struct exports *exports, const char *account);

/*
 * Answer with the entries of the visit's account up to number `last`, oldest first; with a filter
 * the calls that it takes, from number `first` on. name is that of the file, without its day. When
 * no place is left: 503 "Exports are busy. Try again in a minute."
 */
void export_answer(struct visit *visit, const char *name, const struct usage_filter *filter,
                   int64_t first, int64_t last);

#endif
