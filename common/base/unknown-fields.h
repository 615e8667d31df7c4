/*
 * common/base/unknown-fields.h - members of a request that its contract does not know: of an object
 * whose schema lists properties, at any depth. They are ignored, or errors.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

enum {
    UNKNOWN_FIELDS_MAX = 16,   /* places that are kept */
    UNKNOWN_SUGGESTED_MAX = 8, /* the first of these get a suggestion: its cost is bounded */
    UNKNOWN_NAME_BYTES = 64,   /* of a name that is shown */
    UNKNOWN_PATH_BYTES = 192,
};

struct unknown_field {
    char path[UNKNOWN_PATH_BYTES]; /* "items[2].colour"; "?" instead of a name that is too long, not
                                      printable ASCII, or looks like a token */
    const char *did_you_mean;      /* borrowed from the contract; NULL: no known name is near */
};

struct unknown_fields {
    const char *const *allowed; /* names that may be at the top; the caller's */
    size_t allowed_count;
    size_t total; /* at least count */
    size_t count;
    struct unknown_field item[UNKNOWN_FIELDS_MAX];
};

/* Add ERR_UNKNOWN_FIELD for each field, as far as errs has room. Returns false. */
bool unknown_fields_reject(const struct unknown_fields *unknown, struct errs *errs);
