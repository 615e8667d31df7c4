/*
 * gateway/tollctl/evidence/merkle.h - a Merkle tree (RFC 9162 section 2.1) with SHA-256: its root,
 * and the path from a leaf to the root.
 *
 * Add all leaves in order, build the tree, then ask. A tree of n leaves takes up to 64 n bytes,
 * which paths need.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

enum {
    MERKLE_HASH_BYTES = 32,
    MERKLE_LEAF_MAX_BYTES = 64,
    MERKLE_PATH_MAX_BYTES = 64 * MERKLE_HASH_BYTES,
};

/* Zero is an empty tree. */
struct merkle {
    uint8_t (*hash)[MERKLE_HASH_BYTES]; /* level after level, the leaves first */
    size_t count;                       /* hashes of all levels */
    size_t capacity;
    size_t leaves;
};

/* Add a leaf; not after merkle_build(). */
void merkle_add(struct merkle *tree, const void *data, size_t size);

/* Compute the levels above the leaves. */
void merkle_build(struct merkle *tree);

/* Of a tree that is built. The root of an empty tree is the SHA-256 of nothing. */
void merkle_root(const struct merkle *tree, uint8_t root[static MERKLE_HASH_BYTES]);

/* Append the hashes from the leaf's neighbor to the root's child (RFC 9162 section 2.1.3.1). */
void merkle_path(const struct merkle *tree, size_t leaf, struct buf *out);

void merkle_free(struct merkle *tree);
