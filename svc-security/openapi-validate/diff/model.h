/*
 * svc-security/openapi-validate/diff/model.h - what a document promises its callers, in one form
 * for Swagger 2.0 and OpenAPI 3, for comparison.
 */
#pragma once

#include "openapi-validate/check/check.h"

/* Items of one kind, sorted by key, then by spelling. The memory belongs to the document. */
struct list {
    void *item;
    size_t count;
    size_t item_bytes;
};

struct keyed { /* first members of each item */
    struct text key;
    struct text name;
    const struct node *node;
};

struct media {
    struct text key;  /* type/subtype in lower case */
    struct text name; /* as spelled, with its parameters */
    const struct node *node;
    const struct node *schema; /* or NULL */
};

struct parameter {
    struct text key;  /* "query name"; in the path, the position instead of the name */
    struct text name; /* as spelled */
    const struct node *node;
    struct text in;
    const struct node *schema; /* the parameter itself in Swagger 2.0; or NULL */
    bool is_required;
    bool is_shared; /* shared by all operations of the path */
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
    const struct node *node; /* or NULL */
    bool is_required;
    struct list medias;
};

struct operation {
    struct text key; /* path without variable names, and method */
    struct text path;
    const struct node *node;
    struct text method;      /* in lower case */
    const struct node *item; /* the path item */
    bool is_webhook;
    bool is_callback;
    bool is_outgoing;   /* a webhook or a callback: the provider sends the request */
    struct text parent; /* key of the operation that has the callback; or empty */
    struct list parameters;
    struct body body;
    struct list responses;
};

struct model {
    struct check *check;
    struct list operations;
};

/* Fill in the operations of a document that was visited and whose references are resolved. The
 * caller sets model->check. */
void model_build(struct model *model);
