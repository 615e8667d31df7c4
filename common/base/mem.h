/*
 * common/base/mem.h - the heap. Out of memory ends the process: the container restarts, the
 * job's hold is voided, and no caller has to test for it.
 */
#pragma once

#include <stddef.h>

/* size bytes of zeros; the caller releases them with mem_free() or free(). */
void *mem_new(size_t size) __attribute__((returns_nonnull, malloc));

/* count items of size bytes each, all zero; count times size may not overflow. */
void *mem_array(size_t count, size_t size) __attribute__((returns_nonnull, malloc));

/* Grow or shrink like realloc(); new bytes are not cleared. */
void *mem_resize(void *old, size_t size) __attribute__((returns_nonnull));

/* A copy of size bytes with a NUL behind them. */
char *mem_dup(const void *bytes, size_t size) __attribute__((returns_nonnull));

/* A copy of a string; NULL gives NULL. */
char *str_dup(const char *text);

/* printf into fresh memory. */
char *str_format(const char *format, ...) __attribute__((format(printf, 1, 2), returns_nonnull));

/*
 * Let freed memory go back to the system, called before any thread is made. glibc's own ways keep
 * it: a heap for each thread, of which the emptiest page counts, and for large blocks, too, once
 * some were freed (mallopt(3): M_ARENA_MAX, M_MMAP_THRESHOLD). Here are at most so many heaps, and
 * a block of 128 KB or more is the system's again when it is freed.
 */
void mem_bound_heaps(int heaps);

/* free() for scoped(): the argument is the address of a pointer, which becomes NULL. */
void mem_free(void *address_of_pointer);
