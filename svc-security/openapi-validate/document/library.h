/*
 * svc-security/openapi-validate/document/library.h - the documents of one check: number 0 is the
 * one that is asked about, the others are those of its site that references lead to. Nothing is
 * fetched here: somebody puts texts where library_want() has put places.
 */
#pragma once

#include "document.h"
#include "net/target.h"

enum {
    LIBRARY_MAX = 21,            /* the first document and 20 others */
    VOLUME_BYTES_MAX = 2 << 20,  /* of each of the others */
    LIBRARY_BYTES_MAX = 8 << 20, /* of all texts together */
    LIBRARY_JOINS_MAX = 100000,  /* references looked at, each some 10 us */
    LIBRARY_REASON_BYTES = 120,
};

struct volume {
    struct target target;           /* where it lies; its url is NULL when that is not known */
    struct text text;               /* borrowed; empty: it did not come */
    char why[LIBRARY_REASON_BYTES]; /* why it did not come or cannot be read: ends a sentence */
    bool is_missing;                /* it was asked for and did not come */
    struct document document;
};

struct library {
    size_t count; /* 1 or more */
    size_t joins_left;
    bool has_ids; /* $self and $id count: from OpenAPI 3.1 on */
    struct volume volume[LIBRARY_MAX];
};

/* On the heap, with the first document's place: target is taken over and left empty, and may have
 * no url; then no other document is found. */
struct library *library_new(struct target *target);
void library_free(struct library **library);

/* Add places for what the $refs, operationRefs and mappings of discriminators in a document say,
 * any of them: also of an example. It was read with the number that it has in the library. */
void library_want(struct library *library, const struct node *root);

/* Say why a document did not come. */
void library_lacks(struct volume *volume, bool is_missing, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Read all texts but the first, for good: what is wrong with them is among the findings. */
void library_read(struct library *library, struct findings *findings);

/* Of one document as long as the others are not read: for library_want(). */
bool library_peek(const struct library *library, size_t number,
                  struct document *document) must_check;

/* What a reference means by its URI without fragment, as seen from a node. */
struct lead {
    struct node *root; /* of the document; NULL: it is not there */
    const char *why;   /* why not: ends a sentence; lives as long as the library */
    bool is_missing;   /* it was asked for and did not come */
};
struct lead library_find(struct library *library, const struct node *from, struct text uri);
