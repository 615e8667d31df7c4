/*
 * common/text/public-suffix.h - the public suffix list, as libpsl has it built in: below which
 * names anybody may register one.
 */
#ifndef TEXT_PUBLIC_SUFFIX_H
#define TEXT_PUBLIC_SUFFIX_H

#include <stdbool.h>

/* Is it a public suffix, "com" or "co.uk"? Lower-case A-labels without final dot. A top-level
 * domain that is not in the list is one. */
bool public_suffix_is(const char *name);

/* Do two names belong to the same registrant: is the label below the public suffix the same? A
 * name that is a public suffix itself belongs with nothing but itself. Not for IP addresses. */
bool public_suffix_same_owner(const char *a, const char *b);

#endif
