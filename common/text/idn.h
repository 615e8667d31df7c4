/* common/text/idn.h - internationalized domain names (UTS 46, non-transitional) with libidn2. */
#pragma once

#include <stdbool.h>

#include "base/buf.h"
#include "base/scoped.h"

/*
 * Append the lowercase A-labels of a name in UTF-8; ideographic dots become dots, and a final dot
 * stays. False for invalid code points, invalid Punycode, and labels above 63 octets. For a plain
 * ASCII name, only the case and the xn-- labels are handled.
 */
bool idn_to_ascii(struct text name, struct buf *out) must_check;

/* Append the U-labels of a name in A-labels; labels that cannot be shown stay unchanged. */
void idn_to_unicode(const char *name, struct buf *out);
