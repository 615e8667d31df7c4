/*
 * gateway/call/envelope.h - the envelope of all JSON responses:
 * {"result":{…},"success":bool,"errors":[{"code","message"}]}.
 */
#pragma once

#include "base/buf.h"
#include "base/err.h"

/* Append the header lines of all enveloped responses, each with CR LF. */
void envelope_headers(struct buf *headers);

/* Wrap the buffer, one JSON object, in the envelope. In place: it may have megabytes. */
void envelope_result(struct buf *result);

/* The result in an envelope; borrowed. */
struct text envelope_open(struct text envelope);

/* Append an envelope with these errors, in order; its result is {}. */
void envelope_errors(struct buf *out, const struct errs *errs);
