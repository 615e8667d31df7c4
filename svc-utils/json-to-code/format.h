/*
 * svc-utils/json-to-code/format.h - the string formats of JSON Schema Draft-07 that a sample shows.
 * Each is read strictly: what is taken for one here passes every validator.
 */
#ifndef JSON_TO_CODE_FORMAT_H
#define JSON_TO_CODE_FORMAT_H

#include "base/buf.h"

/* The formats that a text does not have, as bits 1 << index, for format_name(). */
unsigned format_misfits(struct text text);

/* The first format that is none of the misfits; NULL when all are. */
const char *format_name(unsigned misfits);

#endif
