/*
 * svc-utils/json-to-code/languages/idents.h - identifiers that must differ within one scope.
 */
#pragma once

#include "json-to-code/model/model.h"
#include "json-to-code/model/words.h"

/* Zero is an empty scope. */
struct idents {
    struct names taken;
    unsigned *last; /* number given last to those that wanted the name at the same index */
    size_t capacity;
    bool ignores_case;
};

/* Take a name; false when it is taken already. It must outlive the scope. */
bool idents_add(struct idents *idents, const char *name, struct arena *arena);

/* Take the name, or the name with the first number from 2 on that is free. */
const char *idents_unique(struct idents *idents, const char *name, struct arena *arena);

void idents_free(struct idents *idents);

/* The fields of one language: style, and the words that cannot be names in it. */
struct namer {
    struct model *model;
    enum words_style style;
    struct names reserved;
    const char *reserved_prefix; /* no name begins so; NULL: any may */
    struct idents idents;
    size_t position; /* of the field in its type, from 1 */
};

void namer_reserve(struct namer *namer, const char *const *words, size_t count);
void namer_free(struct namer *namer);

/* Names for the fields of one type: begin, then ask for each in its order. */
void namer_begin(struct namer *namer);
const char *namer_next(struct namer *namer, const struct field *field);
