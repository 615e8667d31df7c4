/* common/text/public-suffix.c - the public suffix list. */
#include "text/public-suffix.h"

#include <libpsl.h>
#include <string.h>

bool public_suffix_is(const char *name)
{
    return psl_is_public_suffix(psl_builtin(), name);
}

bool public_suffix_same_owner(const char *a, const char *b)
{
    const char *owner = psl_registrable_domain(psl_builtin(), a);
    const char *other = psl_registrable_domain(psl_builtin(), b);
    return strcmp(a, b) == 0 || (owner && other && strcmp(owner, other) == 0);
}
