/*
 * svc-security/openapi-validate/document/builder.h - build the tree of a document from a reader's
 * events.
 */
#pragma once

#include "findings.h"
#include "node.h"

/* Where and why parsing stopped. The texts are static. */
struct stop {
    enum rule rule;
    const char *why; /* NULL: not stopped */
    struct place place;
};

struct builder {
    struct document *document;
    struct findings *findings;
    struct stop stop;
    struct node *open[DOCUMENT_DEPTH_MAX];
    size_t first_child[DOCUMENT_DEPTH_MAX]; /* index of each container in children */
    unsigned depth;
    struct node **children; /* of all open containers, concatenated */
    size_t child_count;
    size_t child_capacity;
    size_t copied_bytes; /* of strings that aliases repeat, at most the size of a document */
    bool has_key;        /* a key without its value so far */
    bool is_merge_key;   /* the key is the << of YAML 1.1 */
    struct text key;
    struct place key_place;
};

void builder_free(struct builder *builder);

/* Always returns false. */
bool builder_stop(struct builder *builder, enum rule rule, struct place place, const char *why);

/* Set the next value's name; copies the text. */
bool builder_key(struct builder *builder, struct text key, struct place place) must_check;

/* Add a node as the next value, and open it if it is a container. Returns NULL if stopped. */
struct node *builder_add(struct builder *builder, enum node_kind kind, struct place place);

/* Add an existing node to the children of the innermost open container. */
void builder_push(struct builder *builder, struct node *node);

/* Close the innermost open container. The last of several members with the same name stays. */
void builder_close(struct builder *builder);

/* Copy a text for the document's lifetime. Stops and returns NULL if it is longer than
 * SCALAR_BYTES_MAX. */
const char *builder_copy(struct builder *builder, struct text text, struct place place);

/* Add a deep copy of a closed node as the next value. */
bool builder_add_copy(struct builder *builder, const struct node *source,
                      struct place place) must_check;

/* Read the whole text. Returns false with the reason in builder->stop. */
bool read_json(struct builder *builder, struct text input) must_check;
bool read_yaml(struct builder *builder, struct text input) must_check;
