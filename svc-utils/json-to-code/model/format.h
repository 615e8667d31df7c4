/*
 * svc-utils/json-to-code/model/format.h - the string formats of JSON Schema Draft-07 that a sample
 * shows. Each is read strictly: what is taken for one here passes every validator.
 */
#pragma once

#include "base/buf.h"

/* Of the misfits: a date-time in capitals, of at most microseconds, whose offset is at most 18
 * hours, which Go, Python and Java read into their own types and write as the same moment. */
enum { FORMAT_PLAIN_TIME = 1 << 7 };

/* The formats that a text does not have, as bits 1 << index, for format_name(). */
unsigned format_misfits(struct text text);

/* The first format that is none of the misfits; NULL when all are. */
const char *format_name(unsigned misfits);
