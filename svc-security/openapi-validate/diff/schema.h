/*
 * svc-security/openapi-validate/diff/schema.h - two schemas and all that is inside of them.
 */
#ifndef OPENAPI_VALIDATE_DIFF_SCHEMA_H
#define OPENAPI_VALIDATE_DIFF_SCHEMA_H

#include "changes.h"

/* Compare two schemas that begin a place (a parameter, a body); NULL takes anything. */
void diff_schemas(struct diff *diff, const struct spot *spot, const struct node *old,
                  const struct node *new);

#endif
