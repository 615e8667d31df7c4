/* common/base/writing/nearest.h - finds the known name that was probably meant. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/*
 * Of a table whose rows begin with `const char *name`, the name with the smallest Levenshtein
 * distance to `wanted`; two swapped neighbors count once. Case and the characters - _ / and blank
 * are ignored. The first of equal
 * names wins. NULL if every name differs in more than half of its letters.
 */
#define NEAREST(rows, wanted) nearest_name((rows), countof(rows), sizeof((rows)[0]), (wanted))

const char *nearest_name(const void *rows, size_t count, size_t row_bytes, const char *wanted);

/*
 * "Did you mean": candidates are offered one at a time, each with the name to show for it. In this
 * order:
 * 1. a candidate with the same letters, as above ("keyEncoding" for key_encoding);
 * 2. one that is a slip away: one letter, or two that are swapped;
 * 3. one that has all words of `wanted`, or the reverse ("depth" for max_depth), if these words
 *    have three letters or more; of several, the one with the fewest other letters;
 * 4. the nearest, as nearest_name().
 * Of equal candidates the first wins. Names are cut to 64 letters.
 */
struct did_you_mean {
    const char *wanted;
    const char *shown; /* the best candidate's; NULL: none fits */
    unsigned rank;
    size_t distance;
};

struct did_you_mean did_you_mean(const char *wanted);
void did_you_mean_offer(struct did_you_mean *meant, const char *candidate, const char *shown);
