/* common/base/mem.c - the heap; running out of memory ends the process. */
#include "base/mem.h"

#include <malloc.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LARGE_BYTES = 128 << 10 };

static void *check_memory(void *memory)
{
    if (!memory)
        abort();
    return memory;
}

void *mem_new(size_t size)
{
    return check_memory(calloc(1, size ? size : 1));
}

void *mem_array(size_t count, size_t size)
{
    return check_memory(calloc(count ? count : 1, size ? size : 1));
}

void *mem_resize(void *old, size_t size)
{
    return check_memory(realloc(old, size ? size : 1));
}

char *mem_dup(const void *bytes, size_t size)
{
    char *copy = check_memory(malloc(size + 1));
    if (size > 0)
        memcpy(copy, bytes, size);
    copy[size] = '\0';
    return copy;
}

char *str_dup(const char *text)
{
    return text ? mem_dup(text, strlen(text)) : NULL;
}

char *str_format(const char *format, ...)
{
    char *text = NULL;
    va_list args;
    va_start(args, format);
    int length = vasprintf(&text, format, args);
    va_end(args);
    return check_memory(length < 0 ? NULL : text);
}

void mem_bound_heaps(int heaps)
{
    mallopt(M_ARENA_MAX, heaps);
    mallopt(M_MMAP_THRESHOLD, LARGE_BYTES);
}

void mem_free(void *address_of_pointer)
{
    void **pointer = address_of_pointer;
    free(*pointer);
    *pointer = NULL;
}
