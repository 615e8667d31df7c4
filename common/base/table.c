/* common/base/table.c - lookups in tables of named rows. */
#include "base/table.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

static bool is_same(const char *name, const char *wanted)
{
    return strcmp(name, wanted) == 0;
}

static const char *skip_separators(const char *at)
{
    return at + strspn(at, "-_/ ");
}

static bool is_alike(const char *name, const char *wanted)
{
    for (;;) {
        name = skip_separators(name);
        wanted = skip_separators(wanted);
        if (tolower((unsigned char)*name) != tolower((unsigned char)*wanted))
            return false;
        if (*name == '\0')
            return true;
        name++;
        wanted++;
    }
}

static const void *find_row(const void *rows, size_t count, size_t row_bytes, const char *wanted,
                            bool (*fits)(const char *, const char *))
{
    for (size_t i = 0; i < count; i++) {
        const char *const *name = (const void *)((const char *)rows + i * row_bytes);
        if (fits(*name, wanted))
            return name;
    }
    return NULL;
}

const void *table_find(const void *rows, size_t count, size_t row_bytes, const char *wanted)
{
    return find_row(rows, count, row_bytes, wanted, is_same);
}

const void *table_find_loose(const void *rows, size_t count, size_t row_bytes, const char *wanted)
{
    return find_row(rows, count, row_bytes, wanted, is_alike);
}
