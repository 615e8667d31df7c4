/* svc-chat/findings/nearest.c - spelling suggestions for known short names. */
#include "nearest.h"

#include <ctype.h>
#include <string.h>

#include "base/num.h"

enum { WORD_MAX = 64 };

/* The letters that count. Longer names are cut; no known name is that long. */
static size_t letters_of(const char *name, char out[static WORD_MAX])
{
    size_t size = 0;
    for (; *name && size < WORD_MAX; name++)
        if (!strchr("-_/ ", *name))
            out[size++] = (char)tolower((unsigned char)*name);
    return size;
}

/* The Levenshtein distance, one row of the matrix at a time. */
static size_t edit_distance(const char *a, size_t a_size, const char *b, size_t b_size)
{
    size_t row[WORD_MAX + 1];
    for (size_t j = 0; j <= b_size; j++)
        row[j] = j;
    for (size_t i = 1; i <= a_size; i++) {
        size_t diagonal = row[0];
        row[0] = i;
        for (size_t j = 1; j <= b_size; j++) {
            size_t changed = diagonal + (a[i - 1] != b[j - 1]);
            diagonal = row[j];
            row[j] = MIN(changed, MIN(row[j], row[j - 1]) + 1);
        }
    }
    return row[b_size];
}

const char *nearest_name(const void *rows, size_t count, size_t row_bytes, const char *wanted)
{
    char meant[WORD_MAX];
    char ours[WORD_MAX];
    const char *best = NULL;
    size_t best_distance = WORD_MAX;
    size_t meant_size = letters_of(wanted, meant);

    for (size_t i = 0; i < count; i++) {
        const char *const *name = (const void *)((const char *)rows + i * row_bytes);
        size_t size = letters_of(*name, ours);
        size_t far = edit_distance(meant, meant_size, ours, size);
        if (far < best_distance && 2 * far < size) {
            best_distance = far;
            best = *name;
        }
    }
    return best;
}
