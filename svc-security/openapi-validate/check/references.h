/*
 * svc-security/openapi-validate/check/references.h - resolve the references of a document.
 */
#pragma once

#include "check.h"

/* Visit the document and resolve every reference, and visit targets that are not reached otherwise.
 * Sets types and targets of nodes. Returns false, without a visit, if the version is unknown. */
bool check_references(struct check *check);

/* The node of a URI reference: the JSON pointer or anchor after #, in this document, in one of the
 * library, or in the schema with an $id around `from`. Returns NULL if not found, with
 * lead->why if its document is not available. */
struct node *locate(struct check *check, const struct node *from, struct text uri,
                    struct resolution *lead);

/* Report a reference into a document that could not be fetched. */
void report_not_fetched(struct check *check, const struct node *ref, const struct resolution *lead);
