/* common/text/names.c - a hash table with chains. Names leave in the opposite order they came,
 * so the one that leaves is always the head of its chain. */
#include "text/names.h"

#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "base/mem.h"

#define FIELD (((uint64_t)1 << 61) - 1)

struct name {
    uint64_t hash;
    struct text text;
    uint32_t next; /* as in chain: the name before this one */
};

/*
 * The name as a polynomial over the field of 2^61 - 1, evaluated at a secret point (Carter and
 * Wegman): two different names meet with a chance of their length in 2^61, whoever chose them.
 */
static uint64_t hash_of(const struct names *names, struct text name)
{
    uint64_t sum = name.size;
    for (size_t i = 0; i < name.size; i += 7) {
        uint64_t coefficient = 0;
        size_t left = name.size - i;
        memcpy(&coefficient, name.bytes + i, left < 7 ? left : 7);
        unsigned __int128 product = (unsigned __int128)(sum + coefficient) * names->secret;
        uint64_t folded = ((uint64_t)product & FIELD) + (uint64_t)(product >> 61);
        sum = (folded & FIELD) + (folded >> 61);
    }
    return sum;
}

static void draw_secret(struct names *names)
{
    if (getrandom(&names->secret, sizeof(names->secret), 0) != sizeof(names->secret))
        abort();
    names->secret &= FIELD;
}

static uint32_t *chain_of(const struct names *names, uint64_t hash)
{
    return &names->chain[hash & (names->capacity - 1)];
}

static void link_name(struct names *names, uint32_t index)
{
    uint32_t *head = chain_of(names, names->item[index].hash);
    names->item[index].next = *head;
    *head = index + 1;
}

static void grow(struct names *names)
{
    if (names->capacity == 0)
        draw_secret(names);
    names->capacity = names->capacity ? names->capacity * 2 : 32;
    names->item = mem_resize(names->item, names->capacity * sizeof(*names->item));
    free(names->chain);
    names->chain = mem_array(names->capacity, sizeof(*names->chain));
    for (uint32_t i = 0; i < names->count; i++)
        link_name(names, i);
}

bool names_add(struct names *names, uint32_t first, struct text text)
{
    if (names->count == names->capacity)
        grow(names);
    uint64_t hash = hash_of(names, text);
    for (uint32_t at = *chain_of(names, hash); at > first; at = names->item[at - 1].next) {
        const struct name *name = &names->item[at - 1];
        if (name->hash == hash && name->text.size == text.size &&
            memcmp(name->text.bytes, text.bytes, text.size) == 0)
            return false;
    }
    names->item[names->count] = (struct name){ .hash = hash, .text = text };
    link_name(names, names->count++);
    return true;
}

void names_drop(struct names *names, uint32_t first)
{
    while (names->count > first) {
        const struct name *last = &names->item[--names->count];
        *chain_of(names, last->hash) = last->next;
    }
}

void names_free(struct names *names)
{
    free(names->item);
    free(names->chain);
    *names = (struct names){ 0 };
}
