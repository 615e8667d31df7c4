/*
 * svc-security/inflate.h - what gzip (RFC 1952), zlib (RFC 1950) and bare deflate (RFC 1951) hold.
 */
#pragma once

#include <stdbool.h>

#include "base/buf.h"
#include "base/text.h"

/* Append what is packed, as much as plain has room for. False: it ends early, is broken, or there
 * is more; what came before that is there. */
bool inflate_text(struct text packed, struct buf *plain);
