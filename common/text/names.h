/*
 * common/text/names.h - a set of texts that may be undone from its end: the names of all open
 * objects of a document, to find one that occurs twice. Linear for hostile input: names meet in a
 * table by a hash with a secret of this process.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"

/* Zero is an empty set. Objects open and close within each other, so the set is a stack: when an
 * object opens, note count; when it closes, drop down to it. */
struct names {
    struct name *item; /* in the order they came */
    uint32_t *chain;   /* by hash: 1 + index of the newest name, 0 for none */
    uint32_t count;
    uint32_t capacity; /* of both arrays; a power of two */
};

/* Add a name, whose bytes must stay until it is dropped, to the object that opened at count
 * `first`; false when the object has it already. */
bool names_add(struct names *names, uint32_t first, struct text name);

/* Where among all names, in the order they came, the newest that equals this one is; false: none.
 * With every name added at first 0 that numbers texts. */
bool names_find(const struct names *names, struct text name, uint32_t *index);

/* The name at an index below count. */
struct text names_at(const struct names *names, uint32_t index);

void names_drop(struct names *names, uint32_t first);
void names_free(struct names *names);
