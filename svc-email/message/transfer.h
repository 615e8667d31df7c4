/*
 * svc-email/message/transfer.h - the transfer encodings of mail, read as leniently as mail clients
 * read them (RFC 2045, section 6). common/base/codec/base64.h is the strict reader.
 */
#pragma once

#include <stdbool.h>

#include "base/buf.h"

/* Append what Base64 stands for; it ends at its padding. Blanks are passed over. Returns whether
 * that was all: no other bytes, and no digit left over. */
bool transfer_base64(struct text text, struct buf *out);

/* Append what quoted-printable text stands for; an = that begins no code stays as it is and makes
 * the answer false. In a header (RFC 2047, section 4.2) an underscore is a blank. */
bool transfer_quoted(struct text text, bool is_header, struct buf *out);
