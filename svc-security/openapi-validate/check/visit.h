/*
 * svc-security/openapi-validate/check/visit.h - visit the nodes of a document with the types that
 * the table of fields gives them.
 */
#pragma once

#include "check.h"

/* Visit a node as this type, with all its descendants. */
void visit_node(struct check *check, struct node *node, enum type type);

/* Find the version of the document and visit all nodes. Returns false if the version is unknown. */
bool visit_document(struct check *check);

/* Does the node have a $ref that applies in this version? */
bool is_reference_of(const struct check *check, const struct node *node, enum type type);
