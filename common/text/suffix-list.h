/*
 * common/text/suffix-list.h - the public suffix list: below which names anybody may register one.
 */
#ifndef TEXT_SUFFIX_LIST_H
#define TEXT_SUFFIX_LIST_H

#include <stdbool.h>

#include "base/err.h"

struct suffix_list; /* read by any number of threads */

/* Read a file, as published or as Debian's package publicsuffix compiles it; path "" is the newest
 * that the system has. Errors: ERR_INVALID_VALUE. */
bool suffix_list_load(const char *path, struct suffix_list **list, struct err *err) must_check;
void suffix_list_free(struct suffix_list **list);

/* Is the name (lower-case A-labels without final dot) a public suffix, "com" or "co.uk"? A
 * top-level domain that is not in the list is one. */
bool suffix_list_has(const struct suffix_list *list, const char *name);

/* Do two hosts have the same registrable domain, or are they the same? */
bool suffix_list_same_site(const struct suffix_list *list, const char *a, const char *b);

#endif
