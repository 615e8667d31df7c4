/*
 * svc-security/openapi-validate/diff/calls.h - two operations of one path and method.
 */
#ifndef OPENAPI_VALIDATE_DIFF_CALLS_H
#define OPENAPI_VALIDATE_DIFF_CALLS_H

#include "changes.h"

/* Parameters, bodies, responses of two operations of one path and method. */
void diff_calls(struct diff *diff, const struct operation *old, const struct operation *new);

#endif
