/*
 * svc-ai/ai-extract/requested-fields.h - what is to be found, as one schema, however the customer
 * said it.
 *
 * It is a schema of schema/subset.h in which a value may also have the member "kind": how it is
 * brought into its form (ai-extract/coerce-fields.h) and proved (ai-extract/ground.h).
 */
#pragma once

#include <cjson/cJSON.h>
#include <stdbool.h>

#include "base/err.h"
#include "svc/job.h"

/*
 * The schema of a request, an object at its top, the caller's; *source is schema, fields or preset.
 * Errors: ERR_CONFLICTING_FIELDS for more than one of the three; those of subset_check_schema();
 * ERR_INVALID_SCHEMA for fields of one name, and for enum or items beside a type that has none.
 */
bool requested_fields_read(const struct job *job, cJSON **schema, const char **source,
                           struct err *err) must_check;

/* "date", "phone", "currency" … of a value's schema; NULL: none. */
const char *requested_fields_kind(const cJSON *schema);
