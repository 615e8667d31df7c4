/*
 * svc-security/openapi-validate/diff/servers.h - compare where an API is: servers of OpenAPI 3, and
 * host, basePath and schemes of Swagger 2.0.
 */
#pragma once

#include "changes.h"

/* Compare the servers of the document. */
void diff_root_servers(struct diff *diff);

/* Compare the servers of an operation, if it or its path has its own. */
void diff_servers(struct diff *diff, const struct operation *old, const struct operation *new);
