/*
 * gateway/catalog/documents.h - the public documents: OpenAPI, tools with prices, and llms.txt for
 * models.
 *
 * Made at start, and again when limits or packs, which they contain, may have changed.
 */
#pragma once

#include "gateway/catalog/catalog.h"
#include "gateway/catalog/routes.h"

enum {
    DOCUMENT_TAG_BYTES = 16 + 3,     /* with quotes and NUL */
    DOCUMENT_LLMS_BYTES = 12 * 1024, /* models read all of it */
};

struct document {
    enum route route;
    const char *type;
    char *text;
    size_t bytes;
    char tag[DOCUMENT_TAG_BYTES]; /* ETag: the first hex digits of its SHA-256 */
};

enum { DOCUMENTS = 4 };

struct documents {
    struct document item[DOCUMENTS];
};

struct documents_options {
    const struct catalog *catalog;
    const struct limits *limits;
    const char *public_url; /* without a final slash */
    const char *issuer;     /* of tokens of apps: text/oauth/oauth.h */
    const char *buy_url;    /* "": unset */
    int64_t signup_credits;
    const cJSON *packs; /* gateway/catalog/packs.h; NULL: not read yet */
};

/* Errors: ERR_INVALID_VALUE for summaries that make one too long. */
bool documents_build(const struct documents_options *options, struct documents **documents,
                     struct err *err) must_check;
void documents_free(struct documents **documents);

/* The document of a route; NULL: the route has no document. */
const struct document *documents_find(const struct documents *documents, enum route route);

/* True: the client has this version, by its If-None-Match (RFC 9110 section 13.1.2; NULL: absent).
 */
bool document_is_known(const struct document *document, const char *if_none_match);
