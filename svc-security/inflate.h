/*
 * svc-security/inflate.h - decompress gzip (RFC 1952), zlib (RFC 1950) and raw deflate (RFC 1951).
 */
#pragma once

#include <stdbool.h>

#include "base/buf.h"
#include "base/text.h"

/* Append the decompressed data up to the limit of `plain`. Returns false if the data is truncated,
 * broken or exceeds the limit; `plain` then has the part before. */
bool inflate_text(struct text packed, struct buf *plain);
