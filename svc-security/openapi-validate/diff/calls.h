/*
 * svc-security/openapi-validate/diff/calls.h - compare two operations of the same path and method.
 */
#pragma once

#include "changes.h"

/* Compare parameters, bodies and responses. */
void diff_calls(struct diff *diff, const struct operation *old, const struct operation *new);
