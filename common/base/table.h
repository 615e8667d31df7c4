/* common/base/table.h - finds a row by name in a table whose rows begin with `const char *name`. */
#pragma once

#include <stddef.h>

#include "base/scoped.h"

/*
 * Returns the row; NULL if not found. _LOOSE ignores case and the characters - _ / and blank,
 * so that "sha_256" finds "SHA-256".
 */
#define TABLE_FIND(rows, wanted) \
    ((__typeof__(&(rows)[0]))table_find((rows), countof(rows), sizeof((rows)[0]), (wanted)))
#define TABLE_FIND_LOOSE(rows, wanted) \
    ((__typeof__(&(rows)[0]))table_find_loose((rows), countof(rows), sizeof((rows)[0]), (wanted)))

const void *table_find(const void *rows, size_t count, size_t row_bytes, const char *wanted);
const void *table_find_loose(const void *rows, size_t count, size_t row_bytes, const char *wanted);
