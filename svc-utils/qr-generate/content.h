/* svc-utils/qr-generate/content.h - the texts that phones act on: networks, contacts, payments. */
#pragma once

#include "base/buf.h"
#include "base/err.h"
#include "svc/job.h"

enum { CONTENT_BYTES = 4096 };

/*
 * The text to encode: `text`, or what is written for one of `wifi`, `vcard`, `epc`, `geo`, `tel`
 * and `otpauth`; *is_epc: readers of payments require level M. Errors: ERR_CONFLICTING_FIELDS for
 * several of them, ERR_MISSING_FIELD, ERR_INVALID_TYPE, ERR_INVALID_VALUE with the field.
 */
bool content_read(const struct job *job, struct buf *out, bool *is_epc, struct err *err) must_check;
