/*
 * svc-ai/ai-extract/coerce-fields.h - bring what a model found into the schema, changing form but
 * never meaning; what does not become its type is null.
 */
#pragma once

#include <cjson/cJSON.h>
#include <stdbool.h>

#include "base/buf.h"

enum { COERCE_ITEMS_MAX = 100 /* of a list; more are dropped */ };

/*
 * A tree of the schema of requested_fields_read(), the caller's: every property is there, null
 * where nothing was found; nothing else is. "7" and 7, 7.0 and 7, "1.250,00" and 1250, "yes" and
 * true; one value for a list of one; a word of enum in its case; a date as YYYY-MM-DD, a time as
 * RFC 3339 (in UTC where it names no zone), currency as {amount, currency}, a phone number with its
 * country's as E.164, URLs with their scheme. Texts are clean, and those that say that there is
 * nothing ("N/A") are null. faults gets {path, message} for what had another type.
 */
cJSON *coerce_fields(const cJSON *schema, const cJSON *value, cJSON *faults);

/* A number as people write it, with signs between thousands and before decimals in either way.
 * False for anything else. */
bool coerce_number(struct text text, double *number) must_check;
