/* svc-chat/findings/nearest.h - which of our names somebody meant. */
#pragma once

#include <stddef.h>

/*
 * Of a table whose rows begin with `const char *name`, the name that takes the fewest changes of a
 * letter (Levenshtein) to become `wanted`; case and the characters - _ / and blank do not count.
 * NULL when none is nearer than half of its letters. The first of equals wins.
 */
#define NEAREST(rows, wanted) nearest_name((rows), countof(rows), sizeof((rows)[0]), (wanted))

const char *nearest_name(const void *rows, size_t count, size_t row_bytes, const char *wanted);
