/*
 * svc-utils/json-to-code/model/format.h - the string formats of JSON Schema Draft-07 in a sample.
 * The check is strict: a match passes every validator.
 */
#pragma once

#include "base/buf.h"

/*
 * One of the misfits: a date-time in uppercase, with at most microseconds and an offset of at most
 * 18 hours. Go, Python and Java read it into their own types and write the same instant.
 */
enum {
    FORMAT_PLAIN_TIME = 1 << 7,
    FORMAT_VERSION_RANGE = 1 << 8, /* a version or a range of versions: 1.2.0, ^1.2, >=3 <4, * */
    FORMAT_PLAIN_VERSION = 1 << 9, /* a single version */
};

/* The formats that a text does not have, as bits 1 << index, for format_name(). */
unsigned format_misfits(struct text text);

/* The first format that is not a misfit; NULL if all are. */
const char *format_name(unsigned misfits);
