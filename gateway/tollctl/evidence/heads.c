/* gateway/tollctl/evidence/heads.c - see heads.h. */
#include "gateway/tollctl/evidence/heads.h"

#include <assert.h>
#include <endian.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

enum { CAPACITY_MIN = 256, LEAF_BYTES = UUID_BYTES + 8 + HASH_BYTES };

static_assert((size_t)LEAF_BYTES <= (size_t)MERKLE_LEAF_MAX_BYTES, "a head fits in a leaf");

/* ---- the table: open addressing, at most two thirds full ---- */

/* The account's slot, or the empty one where it belongs. */
static struct known_head *find_slot(const struct heads *heads, const struct uuid *account)
{
    uint64_t part[2];
    memcpy(part, account->bytes, sizeof(part));
    uint64_t hash =
        (part[0] ^ part[1] * UINT64_C(0x9e3779b97f4a7c15)) * UINT64_C(0xff51afd7ed558ccd);
    size_t at = (size_t)(hash >> 32) & (heads->capacity - 1);
    while (heads->slot[at].is_used && !uuid_equal(&heads->slot[at].head.account, account))
        at = (at + 1) & (heads->capacity - 1);
    return &heads->slot[at];
}

static void grow(struct heads *heads)
{
    struct heads wider = { .capacity = heads->capacity ? 2 * heads->capacity : CAPACITY_MIN,
                           .count = heads->count };
    wider.slot = mem_array(wider.capacity, sizeof(*wider.slot));
    for (size_t i = 0; i < heads->capacity; i++)
        if (heads->slot[i].is_used)
            *find_slot(&wider, &heads->slot[i].head.account) = heads->slot[i];
    mem_free(&heads->slot);
    *heads = wider;
}

struct known_head *heads_find(const struct heads *heads, const struct uuid *account)
{
    struct known_head *slot = heads->capacity ? find_slot(heads, account) : NULL;
    return slot && slot->is_used ? slot : NULL;
}

struct known_head *heads_put(struct heads *heads, const struct head *head)
{
    if (heads->count >= heads->capacity / 3 * 2)
        grow(heads);
    struct known_head *slot = find_slot(heads, &head->account);
    heads->count += !slot->is_used;
    slot->is_used = true;
    slot->head = *head;
    return slot;
}

void heads_free(struct heads *heads)
{
    mem_free(&heads->slot);
    *heads = (struct heads){ 0 };
}

/* ---- in order ---- */

static int compare(const void *a, const void *b)
{
    const struct head *one = a;
    const struct head *other = b;
    return memcmp(one->account.bytes, other->account.bytes, UUID_BYTES);
}

void heads_sort(struct head *list, size_t count)
{
    if (count > 0)
        qsort(list, count, sizeof(*list), compare);
}

void head_leaf(struct merkle *tree, const struct head *head)
{
    uint8_t leaf[LEAF_BYTES];
    uint64_t seq = htobe64((uint64_t)head->seq);
    memcpy(leaf, head->account.bytes, UUID_BYTES);
    memcpy(leaf + UUID_BYTES, &seq, sizeof(seq));
    memcpy(leaf + UUID_BYTES + sizeof(seq), head->hash, HASH_BYTES);
    merkle_add(tree, leaf, sizeof(leaf));
}

void heads_root(const struct heads *heads, uint8_t root[static HASH_BYTES])
{
    scoped(merkle_free) struct merkle tree = { 0 };
    scoped(mem_free) struct head *list = mem_array(heads->count + 1, sizeof(*list));
    size_t count = 0;
    for (size_t i = 0; i < heads->capacity; i++)
        if (heads->slot[i].is_used && heads->slot[i].head.seq > 0)
            list[count++] = heads->slot[i].head;
    heads_sort(list, count);
    for (size_t i = 0; i < count; i++)
        head_leaf(&tree, &list[i]);
    merkle_build(&tree);
    merkle_root(&tree, root);
}
