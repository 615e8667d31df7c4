/*
 * svc-security/openapi-validate/validate.h - the whole check of one document.
 */
#pragma once

#include "openapi-validate/check/check.h"

/* Findings get all that is wrong. The document gets its types and targets; false when it is of no
 * known version and was not walked. */
bool check_document(struct check *check);
