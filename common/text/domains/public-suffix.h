/*
 * common/text/domains/public-suffix.h - the public suffix list: below which names anybody may
 * register one.
 */
#pragma once

#include <stdbool.h>

#include "base/err.h"

struct public_suffixes; /* read by any number of threads; a process's is egress_suffixes() */

/* Read a file, as published or as Debian's package publicsuffix compiles it; path "" is the newer
 * of what that package has installed and what libpsl has built in. Errors: ERR_INVALID_VALUE when
 * the file cannot be read or has no suffix. */
bool public_suffixes_load(const char *path, struct public_suffixes **suffixes,
                          struct err *err) must_check;
void public_suffixes_free(struct public_suffixes **suffixes);

/* Is it a public suffix, "com" or "co.uk"? Lower-case A-labels without final dot. A top-level
 * domain that is not in the list is one. */
bool public_suffix_is(const struct public_suffixes *suffixes, const char *name);

/* The same, but only what the list has: no top-level domain is one for not being there. */
bool public_suffix_is_known(const struct public_suffixes *suffixes, const char *name);

/* The label below the public suffix and all behind it, "example.co.uk" of "www.example.co.uk": a
 * part of name. NULL when name is a public suffix or below none. Not for IP addresses. */
const char *public_suffix_owner(const struct public_suffixes *suffixes, const char *name);

/* Do two names belong to the same registrant: is the label below the public suffix the same? A
 * name that is a public suffix itself belongs with nothing but itself. Not for IP addresses. */
bool public_suffix_same_owner(const struct public_suffixes *suffixes, const char *a, const char *b);
