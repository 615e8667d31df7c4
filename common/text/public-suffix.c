/* common/text/public-suffix.c - the public suffix list. */
#include "text/public-suffix.h"

#include <libpsl.h>

bool public_suffix_is(const char *name)
{
    return psl_is_public_suffix(psl_builtin(), name);
}
