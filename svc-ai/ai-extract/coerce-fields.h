/*
 * svc-ai/ai-extract/coerce-fields.h - convert a model's values to the types of the schema without
 * changing their meaning. A value that cannot be converted becomes null.
 */
#pragma once

#include <cjson/cJSON.h>
#include <stdbool.h>

#include "base/buf.h"

enum { COERCE_ITEMS_MAX = 100 /* items of a list; further ones are dropped */ };

/*
 * A tree of the schema of requested_fields_read(), owned by the caller. It has exactly the
 * properties of the schema, null if nothing was found. Conversions:
 * - numbers keep their digits, except that an integer has no fraction of zeros
 * - "7" and 7, 7.0 and 7, "1.250,00" and 1250, "yes" and true
 * - one value for a list of one
 * - a word of enum gets its case
 * - a date becomes YYYY-MM-DD, a time RFC 3339 (UTC without a zone)
 * - an amount becomes {amount, currency}
 * - a phone number with a country code becomes E.164
 * - a URL gets its scheme
 * - texts are cleaned; a text such as "N/A" becomes null
 *
 * Appends {path, message} to faults for each value of another type.
 */
cJSON *coerce_fields(const cJSON *schema, const cJSON *value, cJSON *faults);

/* Read a number as people write it, with either sign for thousands and decimals: a node with all
 * its digits, owned by the caller. Returns NULL for anything else. */
cJSON *coerce_number(struct text text) must_check;
