/*
 * svc-ai/ai-extract/requested-fields.h - the requested fields as one schema, from any of the three
 * ways to request them.
 *
 * The result is a schema of schema/subset.h. A value may also have the member "kind", which decides
 * how it is converted (ai-extract/coerce-fields.h) and checked (ai-extract/ground.h).
 */
#pragma once

#include <cjson/cJSON.h>
#include <stdbool.h>

#include "base/err.h"
#include "svc/job.h"

/*
 * The schema of a request, with an object at the top, owned by the caller. *source is schema,
 * fields or preset. Errors:
 * - ERR_CONFLICTING_FIELDS unless exactly one of the three is given
 * - ERR_INVALID_SCHEMA for duplicate names, and for enum or items with a type that does not allow
 *   it
 * - those of subset_read(), which also appends to ignored
 */
bool requested_fields_read(const struct job *job, cJSON *ignored, cJSON **schema,
                           const char **source, struct err *err) must_check;

/* "date", "phone", "currency" … of a value's schema; NULL: none. */
const char *requested_fields_kind(const cJSON *schema);
