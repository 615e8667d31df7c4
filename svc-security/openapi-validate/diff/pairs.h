/*
 * svc-security/openapi-validate/diff/pairs.h - a set of pairs of nodes: schemas that were compared
 * in one place, so that recursion ends and nothing is told twice.
 */
#pragma once

#include "openapi-validate/document/node.h"

/* Zero is an empty set. */
struct pairs {
    size_t count;
    size_t capacity; /* a power of two */
    struct pair {
        const struct node *old;
        const struct node *new;
    } * item;
};

/* Add a pair, of which new may not be NULL; false when it was there. */
bool pairs_add(struct pairs *pairs, const struct node *old, const struct node *new);

void pairs_clear(struct pairs *pairs); /* empty it */
void pairs_free(struct pairs *pairs);
