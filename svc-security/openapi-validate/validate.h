/*
 * svc-security/openapi-validate/validate.h - check one document.
 */
#pragma once

#include "openapi-validate/check/check.h"

/* Check the document, add findings, and set types and targets of its nodes. Returns false, without
 * a visit, if the version is unknown. */
bool check_document(struct check *check);
