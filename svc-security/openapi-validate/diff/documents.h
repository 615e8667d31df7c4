/*
 * svc-security/openapi-validate/diff/documents.h - compare document-level parts and security.
 */
#pragma once

#include "changes.h"

/* Compare servers, security schemes, named schemas and global security. */
void diff_documents(struct diff *diff);

/* Compare the security of one operation. */
void diff_security(struct diff *diff, const struct operation *old, const struct operation *new);
