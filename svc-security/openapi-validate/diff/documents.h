/*
 * svc-security/openapi-validate/diff/documents.h - what belongs to no operation, and security.
 */
#ifndef OPENAPI_VALIDATE_DIFF_DOCUMENTS_H
#define OPENAPI_VALIDATE_DIFF_DOCUMENTS_H

#include "changes.h"

/* Servers, security schemes, named schemas, security of all operations. */
void diff_documents(struct diff *diff);

/* Security of one operation. */
void diff_security(struct diff *diff, const struct operation *old, const struct operation *new);

#endif
