/* common/base/os/parallel.h - runs several blocking functions at once. */
#pragma once

#include <stddef.h>

typedef void parallel_run(void *item);

/*
 * Call run() once for each of count items of item_bytes each, at most at_once at the same time, and
 * return when all have returned. Items start in order. The calling thread also runs items; the
 * other threads have a stack of 256 KiB.
 */
void parallel(void *items, size_t count, size_t item_bytes, size_t at_once, parallel_run *run);
