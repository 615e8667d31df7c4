/*
 * svc-security/openapi-validate/diff/model.h - what a document promises its callers, in one form
 * for Swagger 2.0 and OpenAPI 3, so that one can be compared with the other.
 */
#pragma once

#include "openapi-validate/check/check.h"

/* Items of one kind, sorted by their keys, then by how they are spelled; all is the document's. */
struct list {
    void *item;
    size_t count;
    size_t item_bytes;
};

struct keyed { /* what each item begins with */
    struct text key;
    struct text name;
    const struct node *node;
};

struct media {
    struct text key;  /* type/subtype in lower case */
    struct text name; /* as it is spelled, with its parameters */
    const struct node *node;
    const struct node *schema; /* NULL: none */
};

struct parameter {
    struct text key;  /* "query name"; in the path its place counts, not its name */
    struct text name; /* as it is spelled */
    const struct node *node;
    struct text in;
    const struct node *schema; /* of Swagger 2.0 the parameter itself; NULL: none */
    bool is_required;
    bool is_shared; /* by all operations of its path */
};

struct header {
    struct text key; /* in lower case */
    struct text name;
    const struct node *node;
    const struct node *schema;
    bool is_required;
};

struct response {
    struct text key;  /* the status code */
    struct text name; /* the same */
    const struct node *node;
    struct list medias;
    struct list headers;
};

struct body {
    const struct node *node; /* NULL: there is none */
    bool is_required;
    struct list medias;
};

struct operation {
    struct text key; /* path without the names of its variables, method */
    struct text path;
    const struct node *node;
    struct text method;      /* in lower case */
    const struct node *item; /* of the path */
    bool is_webhook;
    struct list parameters;
    struct body body;
    struct list responses;
};

struct model {
    struct check *check;
    struct list operations;
};

/* Fill in the operations of a document that was walked and whose references are resolved;
 * model->check is the caller's to set. */
void model_build(struct model *model);
