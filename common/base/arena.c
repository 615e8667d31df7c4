/* common/base/arena.c - chunks in a chain; what is larger than one gets its own. */
#include "base/arena.h"

#include <stdalign.h>
#include <string.h>

#include "base/mem.h"
#include "base/num.h"

enum { CHUNK_BYTES = 32 * 1024 };

struct chunk {
    struct chunk *older;
    size_t size;
    alignas(max_align_t) char bytes[];
};

void *arena_get(struct arena *arena, size_t size)
{
    size_t rounded = (size + alignof(max_align_t) - 1) & ~(alignof(max_align_t) - 1);
    if (!arena->newest || rounded > arena->newest->size - arena->used) {
        size_t room = MAX(rounded, (size_t)CHUNK_BYTES);
        struct chunk *chunk = mem_new(sizeof(*chunk) + room);
        chunk->older = arena->newest;
        chunk->size = room;
        arena->newest = chunk;
        arena->used = 0;
    }
    void *memory = arena->newest->bytes + arena->used;
    arena->used += rounded;
    return memory;
}

char *arena_copy(struct arena *arena, struct text text)
{
    char *copy = arena_get(arena, text.size + 1);
    if (text.size > 0)
        memcpy(copy, text.bytes, text.size);
    return copy;
}

void arena_free(struct arena *arena)
{
    while (arena->newest) {
        struct chunk *older = arena->newest->older;
        mem_free(&arena->newest);
        arena->newest = older;
    }
    arena->used = 0;
}
