/*
 * svc-security/openapi-validate/diff/compared/pairs.h - a set of pairs of nodes: schemas already
 * compared at a place. It ends recursion and prevents duplicate reports.
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

/* Add a pair; new must not be NULL. Returns false if it exists. */
bool pairs_add(struct pairs *pairs, const struct node *old, const struct node *new);

void pairs_clear(struct pairs *pairs);
void pairs_free(struct pairs *pairs);
