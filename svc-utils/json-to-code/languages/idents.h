/*
 * svc-utils/json-to-code/languages/idents.h - identifiers that are unique within one scope.
 */
#pragma once

#include "json-to-code/model/model.h"
#include "json-to-code/model/words.h"

/* Zero is an empty scope. */
struct idents {
    struct names taken;
    unsigned *last; /* last number assigned for the name at the same index */
    size_t capacity;
    bool ignores_case;
};

/* Add a name; false if it already exists. The name must outlive the scope. */
bool idents_add(struct idents *idents, const char *name, struct arena *arena);

/* Add the name, or the name with the first free number from 2. */
const char *idents_unique(struct idents *idents, const char *name, struct arena *arena);

void idents_free(struct idents *idents);

/* Names of fields in one language: style and reserved words. */
struct namer {
    struct model *model;
    enum words_style style;
    struct names reserved;
    const char *reserved_prefix; /* prefix that no name may have; NULL: none */
    struct idents idents;
    size_t position; /* of the field in its type, from 1 */
};

void namer_reserve(struct namer *namer, const char *const *words, size_t count);
void namer_free(struct namer *namer);

/* Names for the fields of one type: call begin, then request each name in order. */
void namer_begin(struct namer *namer);
const char *namer_next(struct namer *namer, const struct field *field);
