/*
 * svc-email/message/transfer.h - the transfer encodings of mail, read as leniently as mail clients
 * do (RFC 2045 section 6). common/base/codec/base64.h is the strict reader.
 */
#pragma once

#include <stdbool.h>

#include "base/buf.h"

/* Append decoded Base64, up to its padding. Skips blanks. Returns false if there are other bytes,
 * or a leftover digit. */
bool transfer_base64(struct text text, struct buf *out);

/* Append decoded quoted-printable text. An = that does not begin a code stays, and the function
 * returns false. In a header (RFC 2047 section 4.2) an underscore is a blank. */
bool transfer_quoted(struct text text, bool is_header, struct buf *out);
