/*
 * svc-security/openapi-validate/document/node.h - a document as a tree with source positions, one
 * model for JSON and YAML.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/buf.h"
#include "jsonschema/decimal.h"

enum {
    DOCUMENT_BYTES_MAX = 8 << 20,
    DOCUMENT_NODES_MAX = 1000000, /* including repetitions by aliases */
    DOCUMENT_DEPTH_MAX = 256,
    SCALAR_BYTES_MAX = 1 << 20,
};

enum node_kind { NODE_NULL, NODE_BOOL, NODE_NUMBER, NODE_STRING, NODE_LIST, NODE_OBJECT };

/* bit set of kinds */
enum node_kinds {
    IS_NULL = 1 << NODE_NULL,
    IS_BOOL = 1 << NODE_BOOL,
    IS_NUMBER = 1 << NODE_NUMBER,
    IS_STRING = 1 << NODE_STRING,
    IS_LIST = 1 << NODE_LIST,
    IS_OBJECT = 1 << NODE_OBJECT,
    IS_ANYTHING = (1 << (NODE_OBJECT + 1)) - 1,
};

enum merge {
    NOT_MERGED,
    MERGE_SOURCE,
    MERGED
}; /* MERGE_SOURCE: value of a <<; MERGED: member from
    * one */

struct node {
    uint8_t kind;              /* enum node_kind */
    uint8_t type;              /* enum type (fields.h) of its visit; 0: not visited */
    bool is_true;              /* of a BOOL */
    bool is_reference;         /* only its $ref applies; target is the referenced node */
    bool is_used;              /* a reference points to it or into it */
    uint8_t mark;              /* state of the search for reference cycles */
    bool is_open;              /* not closed yet */
    uint8_t merge;             /* enum merge */
    uint32_t line;             /* from 1 */
    uint32_t column;           /* from 1, in code points */
    uint32_t index;            /* among its parent's children; of a root: number of its document */
    uint32_t count;            /* number of children */
    const struct node *parent; /* NULL for the root */
    struct text key;           /* name of a member */
    union {
        struct { /* STRING: decoded; NUMBER: its digits as written */
            struct text text;
            double number;
        };
        struct { /* LIST, OBJECT: in document order */
            struct node **child;
            struct node **by_name; /* OBJECT: sorted by key, for node_member() */
        };
    };
    struct node *target; /* end of the chain of its $ref, or NULL */
};

struct document {
    struct arena arena; /* memory of all nodes and of additions by checks */
    struct node *root;
    bool is_yaml;
    size_t node_count;
    size_t nodes_before; /* in documents that share the limit of nodes; set by the caller */
};

const char *node_kind_name(const struct node *node); /* such as "an object", "null" */

/* The kind as a bit of enum node_kinds. */
static inline unsigned node_bit(const struct node *node)
{
    return 1U << node->kind;
}

/* These functions accept NULL, which has no kind and no members. */
static inline bool node_is(const struct node *node, enum node_kind kind)
{
    return node && node->kind == kind;
}
static inline size_t node_count(const struct node *node) /* of LIST and OBJECT */
{
    return node_is(node, NODE_LIST) || node_is(node, NODE_OBJECT) ? node->count : 0;
}
const struct node *node_get(const struct node *object, const char *name);
struct node *node_member(const struct node *object, struct text name);
struct text node_text(const struct node *node);   /* of a STRING, otherwise empty */
struct text node_lexeme(const struct node *node); /* of a STRING, or the digits of a NUMBER */
struct text node_text_at(const struct node *object, const char *name);
bool node_says(const struct node *node, const char *text); /* is it this STRING? */
bool node_is_true(const struct node *node);                /* the BOOL true */
bool node_has(const struct node *list, const char *text);  /* does the LIST contain this STRING? */

/* A NUMBER as it is written. The decimal may borrow from the node and from digits. */
void node_decimal(const struct node *node, char digits[DECIMAL_DOUBLE_BYTES],
                  struct decimal *decimal);

/* Below 0, 0 or above 0: a NUMBER compared to another, also where their doubles are equal. */
int node_compare(const struct node *a, const struct node *b);

/* A number without a fraction: 1, 1.0 and 1e2 are integers. */
bool node_is_integer(const struct node *node);

/* The child for an unescaped segment of a JSON pointer, or NULL. */
struct node *node_child(const struct node *node, struct text part);

/* Are both the same JSON value? Counts *steps down, one per node, and returns false at 0. */
bool node_equal(const struct node *a, const struct node *b, size_t *steps);

/* Is the text one of these words, separated by spaces? */
bool is_word_of(struct text text, const char *words);

/* Byte order, for sorting and searching. */
int text_order(struct text a, struct text b);
int by_text(const void *a, const void *b); /* for qsort() and bsearch() */
static inline int number_order(uintptr_t a, uintptr_t b)
{
    return (a > b) - (a < b);
}

/* Its key; for an item, the key of its list. */
struct text node_name(const struct node *node);

/* The number of its document: findings->document when it was parsed. */
uint32_t node_document(const struct node *node);

/* Append the JSON pointer (RFC 6901) of a node, such as "/paths/~1pets/get"; "" for the root. */
void node_path(const struct node *node, struct buf *out);
