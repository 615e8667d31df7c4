/* tests/unit/gateway/tollctl/evidence/merkle.c - roots and paths, against the definitions in
 * RFC 9162 section 2.1. */
#include "gateway/tollctl/evidence/merkle.h"

#include <openssl/evp.h>
#include <string.h>

#include "base/codec/hex.h"
#include "rows.h"

enum { LEAVES_MAX = 70, HASH_TEXT_BYTES = 2 * MERKLE_HASH_BYTES + 1 };

static void hash(const void *bytes, size_t size, uint8_t out[MERKLE_HASH_BYTES])
{
    assert_true(EVP_Digest(bytes, size, out, NULL, EVP_sha256(), NULL));
}

static void add_leaves(struct merkle *tree, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        uint8_t leaf[2] = { (uint8_t)i, (uint8_t)(i * 7) };
        merkle_add(tree, leaf, i % 2 + 1);
    }
    merkle_build(tree);
}

/* ---- the definition of section 2.1.1, as it is written there ---- */

static void define_root(size_t first, size_t count, uint8_t out[MERKLE_HASH_BYTES])
{
    uint8_t bytes[1 + 2 * MERKLE_HASH_BYTES] = { 0 };
    if (count == 1) {
        bytes[1] = (uint8_t)first;
        bytes[2] = (uint8_t)(first * 7);
        hash(bytes, 1 + first % 2 + 1, out);
        return;
    }
    size_t left = 1;
    while (2 * left < count)
        left *= 2;
    bytes[0] = 1;
    define_root(first, left, bytes + 1);
    define_root(first + left, count - left, bytes + 1 + MERKLE_HASH_BYTES);
    hash(bytes, sizeof(bytes), out);
}

/* The check of section 2.1.3.2. */
static bool path_leads(size_t leaf, size_t count, const struct buf *path,
                       uint8_t root[MERKLE_HASH_BYTES])
{
    uint8_t bytes[1 + 2 * MERKLE_HASH_BYTES] = { 1 };
    uint8_t at[MERKLE_HASH_BYTES];
    size_t fn = leaf;
    size_t sn = count - 1;
    define_root(leaf, 1, at);
    for (size_t i = 0; i < path->size; i += MERKLE_HASH_BYTES) {
        bool is_right = fn % 2 == 1 || fn == sn;
        if (sn == 0)
            return false;
        memcpy(bytes + 1 + (is_right ? MERKLE_HASH_BYTES : 0), at, MERKLE_HASH_BYTES);
        memcpy(bytes + 1 + (is_right ? 0 : MERKLE_HASH_BYTES), path->bytes + i, MERKLE_HASH_BYTES);
        hash(bytes, sizeof(bytes), at);
        while (is_right && fn % 2 == 0 && fn != 0) {
            fn /= 2;
            sn /= 2;
        }
        fn /= 2;
        sn /= 2;
    }
    return sn == 0 && memcmp(at, root, MERKLE_HASH_BYTES) == 0;
}

/* ---- known roots: the leaves of Certificate Transparency's tests ---- */

static const char *const known_leaves[] = {
    "",
    "00",
    "10",
    "2021",
    "3031",
    "40414243",
    "5051525354555657",
    "606162636465666768696a6b6c6d6e6f",
};

static const struct root_row {
    const char *name;
    size_t leaves;
    const char *root;
} roots[] = {
    { "no leaf", 0, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855" },
    { "one leaf", 1, "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d" },
    { "two leaves", 2, "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125" },
    { "three leaves", 3, "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77" },
    { "four leaves", 4, "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7" },
    { "five leaves", 5, "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4" },
    { "six leaves", 6, "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef" },
    { "seven leaves", 7, "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c" },
    { "eight leaves", 8, "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328" },
};

static void check_root(void **state)
{
    const struct root_row *row = *state;
    scoped(merkle_free) struct merkle tree = { 0 };
    uint8_t root[MERKLE_HASH_BYTES];
    char text[HASH_TEXT_BYTES];
    for (size_t i = 0; i < row->leaves; i++) {
        scoped(buf_free) struct buf leaf = BUF(MERKLE_LEAF_MAX_BYTES);
        assert_true(hex_decode(&leaf, text_of(known_leaves[i])));
        merkle_add(&tree, buf_str(&leaf), leaf.size);
    }
    merkle_build(&tree);
    merkle_root(&tree, root);
    hex_encode(text, root, sizeof(root));
    assert_string_equal(text, row->root);
}

/* ---- the paths of section 2.1.5: seven leaves, and the nodes that it names ---- */

static const struct path_row {
    const char *name;
    size_t leaf;
    struct {
        size_t first;
        size_t count; /* leaves under the node */
    } node[3];
} paths[] = {
    { "d0: b, h, l", 0, { { 1, 1 }, { 2, 2 }, { 4, 3 } } },
    { "d3: c, g, l", 3, { { 2, 1 }, { 0, 2 }, { 4, 3 } } },
    { "d4: f, j, k", 4, { { 5, 1 }, { 6, 1 }, { 0, 4 } } },
    { "d6: i, k", 6, { { 4, 2 }, { 0, 4 } } },
};

static void check_path(void **state)
{
    const struct path_row *row = *state;
    scoped(merkle_free) struct merkle tree = { 0 };
    scoped(buf_free) struct buf path = BUF(MERKLE_PATH_MAX_BYTES);
    scoped(buf_free) struct buf want = BUF(MERKLE_PATH_MAX_BYTES);
    add_leaves(&tree, 7);
    merkle_path(&tree, row->leaf, &path);
    for (size_t i = 0; i < countof(row->node) && row->node[i].count > 0; i++) {
        uint8_t node[MERKLE_HASH_BYTES];
        define_root(row->node[i].first, row->node[i].count, node);
        buf_add(&want, node, sizeof(node));
    }
    assert_int_equal(path.size, want.size);
    assert_memory_equal(path.bytes, want.bytes, want.size);
}

/* ---- every leaf of every tree up to a size ---- */

static const struct size_row {
    const char *name;
    size_t most;
} sizes[] = { { "all leaves of all trees up to 70", LEAVES_MAX } };

static void check_tree(size_t count)
{
    scoped(merkle_free) struct merkle tree = { 0 };
    uint8_t root[MERKLE_HASH_BYTES];
    uint8_t want[MERKLE_HASH_BYTES];
    add_leaves(&tree, count);
    merkle_root(&tree, root);
    define_root(0, count, want);
    assert_memory_equal(root, want, sizeof(root));
    for (size_t leaf = 0; leaf < count; leaf++) {
        scoped(buf_free) struct buf path = BUF(MERKLE_PATH_MAX_BYTES);
        merkle_path(&tree, leaf, &path);
        assert_true(path_leads(leaf, count, &path, root));
        assert_false(path_leads((leaf + 1) % (count + 1), count + 1, &path, root));
    }
}

static void check_sizes(void **state)
{
    const struct size_row *row = *state;
    for (size_t count = 1; count <= row->most; count++)
        check_tree(count);
}

int main(void)
{
    return RUN_ROWS(roots, check_root) + RUN_ROWS(paths, check_path) + RUN_ROWS(sizes, check_sizes);
}
