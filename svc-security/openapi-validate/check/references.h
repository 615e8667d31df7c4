/*
 * svc-security/openapi-validate/check/references.h - what each reference of a document means.
 */
#pragma once

#include "check.h"

/* Walk the document and find the target of every reference, walking targets that nothing else led
 * to: its nodes get their types and targets. False when it is of no known version and was not
 * walked. */
bool check_references(struct check *check);

/* The node that a URI-reference in a document means: the JSON pointer or anchor behind its #, in
 * the document, in one of the library, or in the schema around `from` that has an $id; NULL when
 * there is none, with lead->why when another document is meant, which is not there. */
struct node *locate(struct check *check, const struct node *from, struct text uri,
                    struct lead *lead);

/* Report what a reference asked for, and did not come. */
void report_not_fetched(struct check *check, const struct node *ref, const struct lead *lead);
