/* gateway/http/ignored-fields.h - the header X-Ignored-Fields: fields of a request that its tool
 * does not know, as a list of RFC 9651. */
#pragma once

#include "base/buf.h"
#include "svc/contract.h"

/* Append the header line: 8 places and at most 1 KB, and how many more there are. Nothing if there
 * are no such fields. */
void ignored_fields_write(const struct unknown_fields *unknown, struct buf *headers);
