/* common/text/passwords/match-runs.c - repeats (aaa, abcabc) and sequences (abcd, 97531). */
#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"
#include "base/scoped.h"
#include "text/passwords/estimate.h"
#include "text/passwords/match.h"

enum { DELTA_MAX = 5 }; /* between neighbours of a sequence */

/* ---- repeats ---- */

struct repeat {
    size_t unit, length; /* length 0: there is none */
};

/* How far does a unit that begins at start repeat? */
static size_t repeated_length(const struct phrase *phrase, size_t start, size_t unit)
{
    size_t at = start + unit;
    while (at < phrase->length && phrase->points[at] == phrase->points[at - unit])
        at++;
    size_t length = (at - start) / unit * unit;
    return length >= 2 * unit ? length : 0;
}

/* The shortest unit that makes up a whole repeat. */
static size_t shortest_unit(const struct phrase *phrase, size_t start, size_t length)
{
    size_t unit = 1;
    while (length % unit != 0 || repeated_length(phrase, start, unit) < length)
        unit++;
    return unit;
}

/* What the shortest unit covers, or the longest one when it covers more: for aabaab that is aab. */
static struct repeat repeat_at(const struct phrase *phrase, size_t start)
{
    struct repeat shortest = { 0 };
    struct repeat longest = { 0 };
    for (size_t unit = 1; start + 2 * unit <= phrase->length; unit++) {
        size_t length = repeated_length(phrase, start, unit);
        if (length == 0)
            continue;
        longest = (struct repeat){ unit, length };
        if (shortest.length == 0)
            shortest = longest;
    }
    if (longest.length <= shortest.length)
        return shortest;
    longest.unit = shortest_unit(phrase, start, longest.length);
    return longest;
}

/* A phrase of its own. Its length is half of this one's at most, so this ends soon. */
static double unit_guesses(const struct phrase *phrase, size_t start, size_t unit)
{
    struct phrase part = *phrase;
    scoped(estimate_free) struct estimate estimate = { 0 };
    part.points += start;
    part.length = unit;
    estimate_guesses(&part, &estimate);
    return estimate.guesses;
}

void match_repeats(const struct phrase *phrase, struct matches *matches)
{
    for (size_t start = 0; start + 1 < phrase->length;) {
        struct repeat repeat = repeat_at(phrase, start);
        if (repeat.length == 0) {
            start++;
            continue;
        }
        size_t times = repeat.length / repeat.unit;
        matches_add(
            matches, phrase,
            (struct match){ .pattern = PATTERN_REPEAT,
                            .start = start,
                            .length = repeat.length,
                            .unit = repeat.unit,
                            .guesses = unit_guesses(phrase, start, repeat.unit) * (double)times });
        start += repeat.length;
    }
}

/* ---- sequences ---- */

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

/* A sequence ends where the difference changes; the next one begins with its last character. */
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
