/* svc-chat/findings/nearest.h - finds the known name that was probably meant. */
#pragma once

#include <stddef.h>

/*
 * Of a table whose rows begin with `const char *name`, the name with the smallest Levenshtein
 * distance to `wanted`. Case and the characters - _ / and blank are ignored. The first of equal
 * names wins. NULL if every name differs in more than half of its letters.
 */
#define NEAREST(rows, wanted) nearest_name((rows), countof(rows), sizeof((rows)[0]), (wanted))

const char *nearest_name(const void *rows, size_t count, size_t row_bytes, const char *wanted);
