/*
 * common/jsonschema/tree.h - the functions that the validator uses to read one kind of JSON tree.
 * Schema and value may be different kinds of trees.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"
#include "jsonschema/decimal.h"

enum tree_kind { TREE_NULL, TREE_BOOLEAN, TREE_NUMBER, TREE_STRING, TREE_ARRAY, TREE_OBJECT };

/* bits of a set of kinds */
enum {
    IN_NULL = 1 << TREE_NULL,
    IN_BOOLEAN = 1 << TREE_BOOLEAN,
    IN_NUMBER = 1 << TREE_NUMBER,
    IN_STRING = 1 << TREE_STRING,
    IN_ARRAY = 1 << TREE_ARRAY,
    IN_OBJECT = 1 << TREE_OBJECT,
    IN_ANY = (1 << (TREE_OBJECT + 1)) - 1,
};

struct tree {
    enum tree_kind (*kind)(const void *node);
    bool (*is_true)(const void *node);
    struct text (*text)(
        const void *node); /* STRING; NUMBER: its digits, empty if only the double is known */
    double (*number)(const void *node);
    size_t (*size)(const void *node);            /* of an ARRAY or OBJECT, else 0 */
    const void *(*first)(const void *container); /* child; NULL: it is empty */
    const void *(*next)(const void *child);
    struct text (*name)(const void *member);
    const void *(*member)(const void *object, struct text name); /* NULL: absent */
};

/* Trees of cJSON, as text/json.h makes them. */
extern const struct tree tree_json;

/* A NUMBER as it is written, or as its double if only that is known. The decimal may borrow from
 * the node and from digits. */
void tree_decimal(const struct tree *tree, const void *node, char digits[DECIMAL_DOUBLE_BYTES],
                  struct decimal *decimal);

/* The child that one decoded part of a JSON pointer names; NULL: absent. */
const void *tree_child(const struct tree *tree, const void *node, struct text part);
