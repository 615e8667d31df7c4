/*
 * svc-security/openapi-validate/diff/schema.h - two schemas and all that is inside of them.
 */
#pragma once

#include "changes.h"

/* Compare two schemas that begin a place (a parameter, a body); NULL takes anything. */
void diff_schemas(struct diff *diff, const struct spot *spot, const struct node *old,
                  const struct node *new);
