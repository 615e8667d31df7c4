/*
 * common/base/arena.c - a list of chunks, each larger than the previous up to a limit; larger
 * requests get their own chunk.
 */
#include "base/arena.h"

#include <stdalign.h>
#include <string.h>

#include "base/ascii.h"
#include "base/mem.h"
#include "base/num.h"

/* The first is small: clearing a large one takes longer than all that a message stores in it. */
enum { FIRST_CHUNK_BYTES = 1024, CHUNK_MAX_BYTES = 32 * 1024 };

struct chunk {
    struct chunk *older;
    size_t size;
    alignas(max_align_t) char bytes[];
};

/* A chunk for `size` bytes, at least twice as large as the newest one. */
static struct chunk *add_chunk(struct chunk *newest, size_t size)
{
    size_t twice = newest ? 2 * newest->size : FIRST_CHUNK_BYTES;
    size_t room = MAX(size, MIN(twice, (size_t)CHUNK_MAX_BYTES));
    struct chunk *chunk = mem_new(sizeof(*chunk) + room);
    chunk->older = newest;
    chunk->size = room;
    return chunk;
}

void *arena_get(struct arena *arena, size_t size)
{
    size_t rounded = (size + alignof(max_align_t) - 1) & ~(alignof(max_align_t) - 1);
    if (!arena->newest || rounded > arena->newest->size - arena->used) {
        arena->newest = add_chunk(arena->newest, rounded);
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

char *arena_lower(struct arena *arena, struct text text)
{
    char *copy = arena_copy(arena, text);
    for (size_t i = 0; i < text.size; i++)
        copy[i] = ascii_lower(copy[i]);
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
