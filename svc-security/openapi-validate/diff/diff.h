/*
 * svc-security/openapi-validate/diff/diff.h - what changed from one document to another, and what
 * of it breaks callers.
 */
#pragma once

#include <cjson/cJSON.h>

#include "changes.h"

/* Compare two documents that were walked and whose references are resolved: old.check and
 * new.check, which the caller sets, with today. */
void diff_run(struct diff *diff);
void diff_free(struct diff *diff);

/* Add breaking_changes, non_breaking_changes and diff_summary to the result. */
void diff_write(const struct diff *diff, cJSON *result);
