/*
 * common/base/os/parallel.h - do several things at once that wait for the world.
 */
#pragma once

#include <stddef.h>

typedef void parallel_run(void *item);

/*
 * Call run() once with each of count items of item_bytes each, at most at_once at the same time,
 * and return when all have ended. The calling thread works along; the others have a stack of
 * 256 KiB. Items are begun in their order.
 */
void parallel(void *items, size_t count, size_t item_bytes, size_t at_once, parallel_run *run);
