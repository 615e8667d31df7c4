/* common/base/writing/nearest.c - spelling suggestions for known short names. */
#include "base/writing/nearest.h"

#include <string.h>
#include <strings.h>

#include "base/ascii.h"
#include "base/num.h"
#include "base/text.h"

enum { WORD_MAX = 64, WORDS_MAX = 8, LETTERS_MIN = 3 };

/* The letters that count. Longer names are cut; no known name is that long. */
static size_t letters_of(const char *name, char out[static WORD_MAX])
{
    size_t size = 0;
    for (; *name && size < WORD_MAX; name++)
        if (!strchr("-_/ ", *name))
            out[size++] = ascii_lower(*name);
    return size;
}

/* The Levenshtein distance in which two swapped neighbors count once ("prot" for port), one row of
 * the matrix at a time. */
static size_t edit_distance(const char *a, size_t a_size, const char *b, size_t b_size)
{
    size_t rows[3][WORD_MAX + 1] = { 0 };
    size_t *before = rows[0], *last = rows[1], *row = rows[2];
    for (size_t j = 0; j <= b_size; j++)
        row[j] = j;
    for (size_t i = 1; i <= a_size; i++) {
        size_t *oldest = before;
        before = last;
        last = row;
        row = oldest;
        row[0] = i;
        for (size_t j = 1; j <= b_size; j++) {
            row[j] = MIN(last[j - 1] + (a[i - 1] != b[j - 1]), MIN(last[j], row[j - 1]) + 1);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                row[j] = MIN(row[j], before[j - 2] + 1);
        }
    }
    return row[b_size];
}

const char *nearest_name(const void *rows, size_t count, size_t row_bytes, const char *wanted)
{
    char meant[WORD_MAX] = "";
    char ours[WORD_MAX] = "";
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

/* ---- did you mean ---- */

/* A name cut into words, at - _ / and blanks, and before a capital after a small letter. */
struct words {
    size_t count;
    size_t letters;
    struct text word[WORDS_MAX];
};

static struct words words_of(const char *name)
{
    struct words words = { 0 };
    char before = '-';
    for (size_t i = 0; name[i] && i < WORD_MAX; before = name[i++]) {
        if (strchr("-_/ ", name[i]))
            continue;
        bool begins = strchr("-_/ ", before) || (ascii_is_upper((unsigned char)name[i]) &&
                                                 !ascii_is_upper((unsigned char)before));
        if (begins && words.count == WORDS_MAX)
            break;
        if (begins)
            words.word[words.count++] = (struct text){ name + i, 0 };
        words.word[words.count - 1].size++;
        words.letters++;
    }
    return words;
}

static bool has_word(const struct words *words, struct text word)
{
    for (size_t i = 0; i < words->count; i++)
        if (words->word[i].size == word.size &&
            strncasecmp(words->word[i].bytes, word.bytes, word.size) == 0)
            return true;
    return false;
}

static bool has_words(const struct words *all, const struct words *some)
{
    for (size_t i = 0; i < some->count; i++)
        if (!has_word(all, some->word[i]))
            return false;
    return some->letters >= LETTERS_MIN;
}

enum { SAME = 1, SLIP, CONTAINED, NEAR, FAR };

static unsigned rank_of(const char *wanted, const char *candidate, size_t *distance)
{
    char meant[WORD_MAX] = "";
    char ours[WORD_MAX] = "";
    size_t meant_size = letters_of(wanted, meant);
    size_t size = letters_of(candidate, ours);
    size_t far = edit_distance(meant, meant_size, ours, size);
    *distance = far;
    if (far <= 1 && 2 * far < size)
        return far == 0 ? SAME : SLIP;
    struct words a = words_of(wanted);
    struct words b = words_of(candidate);
    if (has_words(&a, &b) || has_words(&b, &a)) {
        *distance = a.letters > b.letters ? a.letters - b.letters : b.letters - a.letters;
        return CONTAINED;
    }
    return 2 * far < size ? NEAR : FAR;
}

struct did_you_mean did_you_mean(const char *wanted)
{
    return (struct did_you_mean){ .wanted = wanted, .rank = FAR };
}

void did_you_mean_offer(struct did_you_mean *meant, const char *candidate, const char *shown)
{
    size_t distance;
    unsigned rank = rank_of(meant->wanted, candidate, &distance);
    if (rank < meant->rank || (rank < FAR && rank == meant->rank && distance < meant->distance)) {
        meant->rank = rank;
        meant->distance = distance;
        meant->shown = shown;
    }
}
