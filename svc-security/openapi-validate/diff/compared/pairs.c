/* svc-security/openapi-validate/diff/compared/pairs.c - an open-addressing hash table. */
#include "pairs.h"

#include <string.h>

#include "base/mem.h"
#include "base/num.h"

/* The keys are memory addresses, so input cannot cause collisions. */
static size_t slot_of(const struct pairs *pairs, const struct node *old, const struct node *new)
{
    uint64_t hash = ((uint64_t)(uintptr_t)old >> 4) * 0x9E3779B97F4A7C15U;
    hash = (hash ^ (uint64_t)(uintptr_t) new >> 4) * 0x9E3779B97F4A7C15U;
    size_t slot = (size_t)(hash >> 20) & (pairs->capacity - 1);
    while (pairs->item[slot].new && (pairs->item[slot].old != old || pairs->item[slot].new != new))
        slot = (slot + 1) & (pairs->capacity - 1);
    return slot;
}

static void grow_table(struct pairs *pairs)
{
    struct pairs larger = { .capacity = MAX(2 * pairs->capacity, (size_t)64) };
    larger.item = mem_array(larger.capacity, sizeof(struct pair));
    for (size_t i = 0; i < pairs->capacity; i++)
        if (pairs->item[i].new)
            larger.item[slot_of(&larger, pairs->item[i].old, pairs->item[i].new)] = pairs->item[i];
    larger.count = pairs->count;
    mem_free(&pairs->item);
    *pairs = larger;
}

bool pairs_add(struct pairs *pairs, const struct node *old, const struct node *new)
{
    if (2 * pairs->count >= pairs->capacity)
        grow_table(pairs);
    size_t slot = slot_of(pairs, old, new);
    if (pairs->item[slot].new)
        return false;
    pairs->item[slot] = (struct pair){ old, new };
    pairs->count++;
    return true;
}

void pairs_clear(struct pairs *pairs)
{
    if (pairs->capacity > 1024 && pairs->count < pairs->capacity / 8)
        pairs_free(pairs); /* avoids clearing a large table repeatedly */
    if (pairs->count > 0)
        memset(pairs->item, 0, pairs->capacity * sizeof(struct pair));
    pairs->count = 0;
}

void pairs_free(struct pairs *pairs)
{
    mem_free(&pairs->item);
    *pairs = (struct pairs){ 0 };
}
