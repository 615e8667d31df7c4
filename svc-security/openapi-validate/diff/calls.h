/*
 * svc-security/openapi-validate/diff/calls.h - two operations of one path and method.
 */
#pragma once

#include "changes.h"

/* Parameters, bodies, responses of two operations of one path and method. */
void diff_calls(struct diff *diff, const struct operation *old, const struct operation *new);
