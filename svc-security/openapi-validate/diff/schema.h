/*
 * svc-security/openapi-validate/diff/schema.h - compare two schemas and everything in them.
 */
#pragma once

#include "changes.h"

/* Compare the top-level schemas of a place (a parameter, a body); NULL accepts anything. A pair
 * that was compared at a place of the same kind is not compared again: its changes are repeated. */
void diff_schemas(struct diff *diff, const struct schema_spot *spot, const struct node *old,
                  const struct node *new);
