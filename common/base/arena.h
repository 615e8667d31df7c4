/* common/base/arena.h - memory that is released all at once. */
#pragma once

#include <stddef.h>

#include "base/buf.h"

struct arena {
    struct chunk *newest;
    size_t used; /* of the newest chunk */
};

/* size bytes of zeros, aligned for anything; they live as long as the arena. */
void *arena_get(struct arena *arena, size_t size) __attribute__((returns_nonnull));

/* A copy of a text, followed by a NUL. */
char *arena_copy(struct arena *arena, struct text text) __attribute__((returns_nonnull));

char *arena_lower(struct arena *arena, struct text text) /* the same, with ASCII in lower case */
    __attribute__((returns_nonnull));

void arena_free(struct arena *arena);
