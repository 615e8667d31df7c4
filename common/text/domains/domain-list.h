/*
 * common/text/domains/domain-list.h - a file of domains: is a name in it?
 *
 * The file is readable text. Only eight bytes per entry are kept, so a list of 150,000 domains
 * takes 1.2 MB of memory, half its size. It has one entry per line:
 *
 *     example.com      this name, and subdomains with the same registrant
 *     *.example.com    every name below it
 *     !example.com     neither this name nor any below it, regardless of other lines
 *
 * Names are lowercase A-labels without a final dot. Lines are sorted by bytes, as `LC_ALL=C sort
 * -u` does. Empty lines and comments (#) are allowed only at the top of the file.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

struct domain_list; /* any number of threads may read it */

enum { DOMAIN_LIST_MAX_BYTES = 16 << 20 };

/* Read a file. Errors: ERR_INVALID_VALUE with the file, and the number of an invalid line; for the
 * operator. */
bool domain_list_load(const char *path, struct domain_list **list, struct err *err) must_check;
void domain_list_free(struct domain_list **list);

/* The number of entries. */
size_t domain_list_count(const struct domain_list *list);

/*
 * Find a name, lowercase A-labels without a final dot. owner is its registrable domain (public
 * suffix and one label), a pointer into the same string: its parents belong to others. A lookup
 * takes three binary searches per label.
 */
enum domain_match { DOMAIN_UNLISTED, DOMAIN_LISTED, DOMAIN_BELOW_LISTED };
enum domain_match domain_list_match(const struct domain_list *list, const char *name,
                                    const char *owner);
