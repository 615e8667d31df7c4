/*
 * svc-security/openapi-validate/diff/records.h - what the comparison of two schemas found.
 * If other schemas refer to them again, as in a circle, the changes are repeated without a new
 * comparison.
 */
#pragma once

#include "openapi-validate/diff/changes.h"

/* The record of these schemas at a place of the same kind, or NULL. */
const struct record *record_find(struct diff *diff, const struct schema_spot *spot,
                                 const struct node *old, const struct node *new);

/* Record what follows. The record is on the caller's stack until the end, which keeps a copy. */
void record_begin(struct diff *diff, struct record *record, const struct schema_spot *spot,
                  const struct node *old, const struct node *new);
void record_end(struct diff *diff, const struct record *record);

/* Add two schemas to the current record, if there is one. */
void record_schemas(struct diff *diff, const struct schema_spot *spot, const struct node *old,
                    const struct node *new);
