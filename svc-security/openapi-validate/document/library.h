/*
 * svc-security/openapi-validate/document/library.h - the documents of one check: number 0 is the
 * requested one, the others are referenced documents of the same origin. Fetches nothing: gather.h
 * gets the texts for the URLs that library_want() adds.
 */
#pragma once

#include "document.h"
#include "net/target.h"

enum {
    LIBRARY_MAX = 21,                  /* the first document and 20 more */
    LIBRARY_ENTRY_BYTES_MAX = 2 << 20, /* of each other document */
    LIBRARY_BYTES_MAX = 8 << 20,       /* of all texts together */
    LIBRARY_JOINS_MAX = 100000,        /* references examined, about 10 us each */
    LIBRARY_REASON_BYTES = 120,
};

struct library_entry {
    struct target target;           /* its URL; url is NULL if unknown */
    struct text text;               /* borrowed; empty if not available */
    char why[LIBRARY_REASON_BYTES]; /* why it is not available; end of a sentence */
    bool is_missing;                /* the fetch failed */
    struct document document;
};

struct library {
    size_t count; /* at least 1 */
    size_t joins_left;
    bool has_ids; /* $self and $id apply: from OpenAPI 3.1 on */
    struct library_entry entry[LIBRARY_MAX];
};

/* Create a library for the first document. Takes ownership of target and empties it. Without a url,
 * the library finds no other document. */
struct library *library_new(struct target *target);
void library_free(struct library **library);

/* Add the URLs of all $ref, operationRef and discriminator mappings in a document, including those
 * in examples. The document must have been parsed with its number in the library. */
void library_want(struct library *library, const struct node *root);

/* Set why a document is not available. */
void library_set_missing(struct library_entry *entry, bool is_missing, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Parse all texts except the first; adds findings. */
void library_read(struct library *library, struct findings *findings);

/* Parse one document for library_want(), before library_read(). */
bool library_peek(const struct library *library, size_t number,
                  struct document *document) must_check;

/* The document of a reference. */
struct resolution {
    struct node *root; /* root of the document; NULL if not available */
    const char *why;   /* why not; end of a sentence; lives as long as the library */
    bool is_missing;   /* the fetch failed */
};
struct resolution library_find(struct library *library, const struct node *from, struct text uri);
