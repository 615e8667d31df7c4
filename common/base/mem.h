/*
 * common/base/mem.h - the heap. Out of memory ends the process: the container restarts, and the
 * job's hold is voided. So callers need not check for NULL.
 */
#pragma once

#include <stddef.h>

/* size bytes of zeros; the caller releases them with mem_free() or free(). */
void *mem_new(size_t size) __attribute__((returns_nonnull, malloc));

/* count items of size bytes each, all zero; the product must not overflow. */
void *mem_array(size_t count, size_t size) __attribute__((returns_nonnull, malloc));

/* Grow or shrink like realloc(); new bytes are not cleared. */
void *mem_resize(void *old, size_t size) __attribute__((returns_nonnull));

/* A copy of size bytes, followed by a NUL. */
char *mem_dup(const void *bytes, size_t size) __attribute__((returns_nonnull));

/* A copy of a string; NULL gives NULL. */
char *str_dup(const char *text);

/* printf into new memory. */
char *str_format(const char *format, ...) __attribute__((format(printf, 1, 2), returns_nonnull));

/*
 * Let freed memory return to the system. Call it before any thread starts. By default glibc keeps
 * freed memory: it has a heap per thread, and also keeps large blocks once some were freed
 * (mallopt(3): M_ARENA_MAX, M_MMAP_THRESHOLD). After this call there are at most `heaps` heaps, and
 * a freed block of 128 KB or more returns to the system.
 */
void mem_bound_heaps(int heaps);

/* free() for scoped(): the argument is the address of a pointer, which becomes NULL. */
void mem_free(void *address_of_pointer);
