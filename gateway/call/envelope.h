/*
 * gateway/call/envelope.h - the one form of every JSON answer:
 * {"result":{…},"success":bool,"errors":[{"code","message"}]}.
 */
#pragma once

#include "base/buf.h"
#include "base/err.h"

/* Append the header lines of every answer in the envelope, each ended by CR LF. */
void envelope_headers(struct buf *headers);

/* Put the envelope around what stands in the buffer: a result, one JSON object that stays as it is
 * byte for byte. In place, since it may be megabytes. */
void envelope_result(struct buf *result);

/* The result inside such an envelope; borrowed. */
struct text envelope_open(struct text envelope);

/* Append the envelope of errors, in their order; the result is {}. */
void envelope_errors(struct buf *out, const struct errs *errs);
