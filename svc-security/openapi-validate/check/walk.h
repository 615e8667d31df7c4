/*
 * svc-security/openapi-validate/check/walk.h - visit the nodes of a document as what the table of
 * fields says that they are.
 */
#pragma once

#include "check.h"

/* Visit a node as one of a type, with all below it. */
void walk(struct check *check, struct node *node, enum type type);

/* Find the version of the document and visit all of it; false when it is of no known version. */
bool walk_document(struct check *check);

/* Does it refer to something, by a $ref that counts in this version? */
bool is_reference_of(const struct check *check, const struct node *node, enum type type);
