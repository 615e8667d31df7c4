/*
 * svc-security/openapi-validate/document/builder.h - make the tree of a document from what a reader
 * meets.
 */
#pragma once

#include "findings.h"
#include "node.h"

/* Where a document cannot be read on, and why. Its texts live for ever. */
struct stop {
    enum rule rule;
    const char *why; /* NULL: it reads on */
    struct place place;
};

struct builder {
    struct document *document;
    struct findings *findings;
    struct stop stop;
    struct node *open[DOCUMENT_DEPTH_MAX];
    size_t first_child[DOCUMENT_DEPTH_MAX]; /* of each in children */
    unsigned depth;
    struct node **children; /* of all open containers, one behind the other */
    size_t child_count;
    size_t child_capacity;
    size_t copied_bytes; /* of texts that aliases repeat: at most another document */
    bool has_key;        /* key waits for its value */
    bool is_merge_key;   /* key is the << of YAML 1.1 */
    struct text key;
    struct place key_place;
};

void builder_free(struct builder *builder);

/* Returns false, always. */
bool builder_stop(struct builder *builder, enum rule rule, struct place place, const char *why);

/* The next value's name; the text is copied. */
bool builder_key(struct builder *builder, struct text key, struct place place) must_check;

/* Add a node where the next value belongs, and open it when it is a container. NULL: refused. */
struct node *builder_add(struct builder *builder, enum node_kind kind, struct place place);

/* Add a node that exists already to the children of the innermost open container. */
void builder_push(struct builder *builder, struct node *node);

/* End the innermost open container: of members of one name the last stays. */
void builder_close(struct builder *builder);

/* A copy that lives as long as the document; NULL when it is longer than SCALAR_BYTES_MAX, which is
 * then refused. */
const char *builder_copy(struct builder *builder, struct text text, struct place place);

/* Add a copy of a closed node, with all below it, where the next value belongs. */
bool builder_add_copy(struct builder *builder, const struct node *source,
                      struct place place) must_check;

/* Read the whole text; false when builder->stop says why not. */
bool read_json(struct builder *builder, struct text input) must_check;
bool read_yaml(struct builder *builder, struct text input) must_check;
