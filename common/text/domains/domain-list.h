/*
 * common/text/domains/domain-list.h - a file of domains, to ask whether a name is among them.
 *
 * The file is made to be read by people. Of each entry eight bytes are kept, so that a list of
 * 150,000 domains costs 1.2 MB of memory, half of its own size. It has one entry a line:
 *
 *     example.com      this name, and what is below it in the hands of the same registrant
 *     *.example.com    every name below it
 *     !example.com     neither this name nor any below it, whatever the other lines say
 *
 * Names are lower-case A-labels without final dot. Lines are sorted by their bytes, as
 * `LC_ALL=C sort -u` does it; only at the top of the file may there be empty lines and comments,
 * which begin with #.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

struct domain_list; /* read by any number of threads */

enum { DOMAIN_LIST_MAX_BYTES = 16 << 20 };

/* Read a file. Errors: ERR_INVALID_VALUE with the file and, for a line that is not as above, its
 * number; for the operator. */
bool domain_list_load(const char *path, struct domain_list **list, struct err *err) must_check;
void domain_list_free(struct domain_list **list);

/* How many entries it has. */
size_t domain_list_count(const struct domain_list *list);

/*
 * How the list has a name, which is lower-case A-labels without final dot. owner is its registrable
 * domain (the public suffix and one label more), a pointer into the same string: parents above it
 * are other people's. A name takes as many binary searches as it has labels, thrice.
 */
enum domain_match { DOMAIN_UNLISTED, DOMAIN_LISTED, DOMAIN_BELOW_LISTED };
enum domain_match domain_list_match(const struct domain_list *list, const char *name,
                                    const char *owner);
