/*
 * common/text/names.h - a set of texts that can be undone from its end. It has the names of all
 * open objects of a document, to find repeated ones. Linear time for hostile input: the hash has a
 * secret of this process.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"

/*
 * Zero is an empty set. Objects are nested, so the set is a stack: when an object opens, remember
 * count; when it closes, drop back to it.
 */
struct names {
    struct name *item; /* in order of addition */
    uint32_t *chain;   /* by hash: 1 + index of the newest name, 0: none */
    uint32_t count;
    uint32_t capacity; /* of both arrays; a power of two */
};

/*
 * Add a name to the object that opened at count `first`; false if the object already has it. The
 * bytes must stay valid until the name is dropped.
 */
bool names_add(struct names *names, uint32_t first, struct text name);

/* The index of the newest equal name; false: none. If every name is added with first 0, this
 * numbers texts. */
bool names_find(const struct names *names, struct text name, uint32_t *index);

/* The name at an index below count. */
struct text names_at(const struct names *names, uint32_t index);

void names_drop(struct names *names, uint32_t first);
void names_free(struct names *names);
