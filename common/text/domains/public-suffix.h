/* common/text/domains/public-suffix.h - the public suffix list: names below which anyone can
 * register. */
#pragma once

#include <stdbool.h>

#include "base/err.h"

struct public_suffixes; /* any number of threads may read it; the process has one, egress_suffixes()
                         */

/*
 * Read a file, as published or as compiled by Debian's package publicsuffix. Path "": the newer of
 * the package's file and libpsl's built-in list. Errors: ERR_INVALID_VALUE if the file cannot be
 * read or has no suffix.
 */
bool public_suffixes_load(const char *path, struct public_suffixes **suffixes,
                          struct err *err) must_check;
void public_suffixes_free(struct public_suffixes **suffixes);

/*
 * Is it a public suffix, "com" or "co.uk"? Lowercase A-labels without a final dot. An unknown
 * top-level domain counts as one.
 */
bool public_suffix_is(const struct public_suffixes *suffixes, const char *name);

/* The same, only for names in the list: an unknown top-level domain does not count. */
bool public_suffix_is_known(const struct public_suffixes *suffixes, const char *name);

/*
 * The label below the public suffix and everything after it, "example.co.uk" of
 * "www.example.co.uk": a part of name. NULL if name is a public suffix or below none. Not for IP
 * addresses.
 */
const char *public_suffix_owner(const struct public_suffixes *suffixes, const char *name);

/*
 * Do two names have the same registrant: is the label below the public suffix equal? A public
 * suffix matches only itself. Not for IP addresses.
 */
bool public_suffix_same_owner(const struct public_suffixes *suffixes, const char *a, const char *b);
