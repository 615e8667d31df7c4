/*
 * common/text/idn.h - internationalised domain names (UTS 46, non-transitional) by libidn2.
 */
#pragma once

#include <stdbool.h>

#include "base/buf.h"
#include "base/scoped.h"

/* Append the lower-case A-labels of a name in UTF-8; ideographic dots become dots, a final dot
 * stays. False for what has none: bad code points, bad punycode, labels above 63 octets. A name in
 * plain ASCII is only put into lower case and its xn-- labels checked. */
bool idn_to_ascii(struct text name, struct buf *out) must_check;

/* Append the U-labels of a name in A-labels; what cannot be shown so stays as it is. */
void idn_to_unicode(const char *name, struct buf *out);
