/* common/text/passwords/match-sequences.c - sequences (abcd, 97531). */
#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"
#include "text/passwords/match.h"

enum { DELTA_MAX = 5 }; /* between neighbors of a sequence */

static double sequence_guesses(uint32_t first, size_t length, bool is_ascending)
{
    bool is_obvious = first > 0 && first < 128 && strchr("aAzZ019", (int)first);
    double guesses = is_obvious ? 4 : ascii_is_digit(first) ? 10 : 26;
    return guesses * (is_ascending ? 1 : 2) * (double)length;
}

static void add_sequence(const struct phrase *phrase, size_t start, size_t end, int64_t delta,
                         struct matches *matches)
{
    size_t length = end - start + 1;
    bool is_long = length > 2 || (length == 2 && llabs(delta) == 1);
    if (!is_long || delta == 0 || llabs(delta) > DELTA_MAX)
        return;
    matches_add(
        matches, phrase,
        (struct match){ .pattern = PATTERN_SEQUENCE,
                        .start = start,
                        .length = length,
                        .guesses = sequence_guesses(phrase->points[start], length, delta > 0) });
}

/* A sequence ends if the difference changes; the next one begins with its last character. */
void match_sequences(const struct phrase *phrase, struct matches *matches)
{
    size_t start = 0;
    int64_t last = 0;
    if (phrase->length < 2)
        return;
    for (size_t at = 1; at < phrase->length; at++) {
        int64_t delta = (int64_t)phrase->points[at] - phrase->points[at - 1];
        if (at > 1 && delta != last) {
            add_sequence(phrase, start, at - 1, last, matches);
            start = at - 1;
        }
        last = delta;
    }
    add_sequence(phrase, start, phrase->length - 1, last, matches);
}
