/* gateway/http/ignored-fields.h - the header X-Ignored-Fields: fields of a request that its tool
 * does not know, as a list of RFC 9651. */
#pragma once

#include "base/buf.h"
#include "svc/contract.h"

/* Append the header line: at most 8 places and 1 KB, and the number of the others. Without ignored
 * fields, append nothing. */
void ignored_fields_write(const struct unknown_fields *unknown, struct buf *headers);
