/*
 * common/text/names.c - a hash table with chains. Names are removed in reverse order, so a removed
 * name is always the head of its chain.
 */
#include "text/names.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "base/mem.h"

#define FIELD (((uint64_t)1 << 61) - 1)

struct name {
    uint64_t hash;
    struct text text;
    uint32_t next; /* as in chain: the previous name */
};

static uint64_t secret; /* of the process: drawing one per document took a system call */
static pthread_once_t is_drawn = PTHREAD_ONCE_INIT;

static void draw_secret(void)
{
    if (getrandom(&secret, sizeof(secret), 0) != sizeof(secret))
        abort();
    secret &= FIELD;
}

/*
 * The name as a polynomial over the field of 2^61 - 1, evaluated at a secret point (Carter and
 * Wegman). Two different names collide with a probability of their length in 2^61, even if an
 * attacker chooses them.
 */
static uint64_t hash_of(struct text name)
{
    uint64_t sum = name.size;
    for (size_t i = 0; i < name.size; i += 7) {
        uint64_t coefficient = 0;
        size_t left = name.size - i;
        memcpy(&coefficient, name.bytes + i, left < 7 ? left : 7);
        unsigned __int128 product = (unsigned __int128)(sum + coefficient) * secret;
        uint64_t folded = ((uint64_t)product & FIELD) + (uint64_t)(product >> 61);
        sum = (folded & FIELD) + (folded >> 61);
    }
    return sum;
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

static void grow_table(struct names *names)
{
    pthread_once(&is_drawn, draw_secret);
    names->capacity = names->capacity ? names->capacity * 2 : 32;
    names->item = mem_resize(names->item, names->capacity * sizeof(*names->item));
    free(names->chain);
    names->chain = mem_array(names->capacity, sizeof(*names->chain));
    for (uint32_t i = 0; i < names->count; i++)
        link_name(names, i);
}

/* The newest name from `first` on that is equal, as in chain; 0: none. */
static uint32_t find_slot(const struct names *names, uint32_t first, uint64_t hash,
                          struct text text)
{
    uint32_t at = *chain_of(names, hash);
    for (; at > first; at = names->item[at - 1].next) {
        const struct name *name = &names->item[at - 1];
        if (name->hash == hash && name->text.size == text.size &&
            memcmp(name->text.bytes, text.bytes, text.size) == 0)
            return at;
    }
    return 0;
}

bool names_add(struct names *names, uint32_t first, struct text text)
{
    if (names->count == names->capacity)
        grow_table(names);
    uint64_t hash = hash_of(text);
    if (find_slot(names, first, hash, text) > 0)
        return false;
    names->item[names->count] = (struct name){ .hash = hash, .text = text };
    link_name(names, names->count++);
    return true;
}

bool names_find(const struct names *names, struct text text, uint32_t *index)
{
    uint32_t at = names->count > 0 ? find_slot(names, 0, hash_of(text), text) : 0;
    if (at > 0)
        *index = at - 1;
    return at > 0;
}

struct text names_at(const struct names *names, uint32_t index)
{
    return names->item[index].text;
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
