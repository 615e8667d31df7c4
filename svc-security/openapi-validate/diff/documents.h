/*
 * svc-security/openapi-validate/diff/documents.h - what belongs to no operation, and security.
 */
#pragma once

#include "changes.h"

/* Servers, security schemes, named schemas, security of all operations. */
void diff_documents(struct diff *diff);

/* Security of one operation. */
void diff_security(struct diff *diff, const struct operation *old, const struct operation *new);
