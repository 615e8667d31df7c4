/* gateway/tollctl/evidence/merkle.c - see merkle.h. */
#include "gateway/tollctl/evidence/merkle.h"

#include <assert.h>
#include <openssl/evp.h>
#include <string.h>

#include "base/mem.h"

/* What is hashed begins with one of these, so that a leaf cannot pass for a node. */
enum { LEAF = 0x00, NODE = 0x01 };

static uint8_t *add_hash(struct merkle *tree)
{
    if (tree->count == tree->capacity) {
        tree->capacity = tree->capacity ? 2 * tree->capacity : 64;
        tree->hash = mem_resize(tree->hash, tree->capacity * sizeof(*tree->hash));
    }
    return tree->hash[tree->count++];
}

static void hash_bytes(const uint8_t *bytes, size_t size, uint8_t out[MERKLE_HASH_BYTES])
{
    bool ok = EVP_Digest(bytes, size, out, NULL, EVP_sha256(), NULL);
    assert(ok);
}

void merkle_add(struct merkle *tree, const void *data, size_t size)
{
    uint8_t bytes[1 + MERKLE_LEAF_MAX_BYTES] = { LEAF };
    assert(size <= MERKLE_LEAF_MAX_BYTES && tree->count == tree->leaves);
    memcpy(bytes + 1, data, size);
    hash_bytes(bytes, 1 + size, add_hash(tree));
    tree->leaves++;
}

static void add_node(struct merkle *tree, size_t left)
{
    uint8_t bytes[1 + 2 * MERKLE_HASH_BYTES] = { NODE };
    memcpy(bytes + 1, tree->hash[left], 2 * MERKLE_HASH_BYTES);
    hash_bytes(bytes, sizeof(bytes), add_hash(tree));
}

static size_t level_above(size_t width)
{
    return width / 2 + width % 2;
}

/* The last node of an odd level has no neighbor: it goes up unchanged. So each subtree on the left
 * is full, as the RFC splits. */
void merkle_build(struct merkle *tree)
{
    size_t begin = 0;
    for (size_t width = tree->leaves; width > 1; width = level_above(width)) {
        for (size_t i = 0; i + 1 < width; i += 2)
            add_node(tree, begin + i);
        if (width % 2 == 1) {
            uint8_t *last = add_hash(tree);
            memcpy(last, tree->hash[begin + width - 1], MERKLE_HASH_BYTES);
        }
        begin += width;
    }
}

void merkle_root(const struct merkle *tree, uint8_t root[static MERKLE_HASH_BYTES])
{
    if (tree->leaves == 0)
        hash_bytes((const uint8_t *)"", 0, root);
    else
        memcpy(root, tree->hash[tree->count - 1], MERKLE_HASH_BYTES);
}

void merkle_path(const struct merkle *tree, size_t leaf, struct buf *out)
{
    size_t begin = 0;
    size_t at = leaf;
    assert(leaf < tree->leaves);
    for (size_t width = tree->leaves; width > 1; width = level_above(width)) {
        size_t neighbor = at ^ 1;
        if (neighbor < width)
            buf_add(out, tree->hash[begin + neighbor], MERKLE_HASH_BYTES);
        begin += width;
        at /= 2;
    }
}

void merkle_free(struct merkle *tree)
{
    mem_free(&tree->hash);
    *tree = (struct merkle){ 0 };
}
