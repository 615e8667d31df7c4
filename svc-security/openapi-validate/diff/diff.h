/*
 * svc-security/openapi-validate/diff/diff.h - the changes between two documents, and which of them
 * break callers.
 */
#pragma once

#include <cjson/cJSON.h>

#include "changes.h"

/* Compare two documents that were visited and whose references are resolved. The caller sets
 * old.check, new.check and today. */
void diff_run(struct diff *diff);
void diff_free(struct diff *diff);

/* Add breaking_changes, non_breaking_changes and diff_summary to the result. */
/* Add `changelog`: the listed changes in Markdown. */
void diff_changelog(const struct diff *diff, cJSON *result);

void diff_write(const struct diff *diff, cJSON *result);
