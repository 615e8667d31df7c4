/*
 * common/text/passwords/estimate.c - finds the cheapest combination of matches, and of brute-forced
 * characters where there is no match.
 */
#include "text/passwords/estimate.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <openssl/crypto.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/scoped.h"

/* Guesses for shorter sequences before an attacker tries one more part. */
static const double growing_cost = 10000;

enum { USER_INPUT_LEAST = 3 };

/* More parts than this never pay off: 4 brute-forced characters cost as much as one more part. */
static size_t most_parts(size_t length)
{
    return length / 4 + 2;
}

/* The best way to cover the first points of the phrase with `parts` parts. */
struct step {
    double cost;    /* minimized; 0: no way found */
    double product; /* of the guesses of its parts */
    struct match last;
};

/* steps[end][parts]: end is the last code point covered, parts from 1. */
struct search {
    const struct phrase *phrase;
    size_t width; /* 1 + maximum number of parts */
    struct step *steps;
};

static struct step *step_at(const struct search *search, size_t end, size_t parts)
{
    return &search->steps[end * search->width + parts];
}

static void search_free(struct search *search)
{
    size_t bytes = search->phrase->length * search->width * sizeof(*search->steps);
    OPENSSL_cleanse(search->steps, bytes);
    mem_free(&search->steps);
}

static double factorial_of(size_t n)
{
    double product = 1;
    for (size_t i = 2; i <= n; i++)
        product *= (double)i;
    return product;
}

/* Consider a match as the last of `parts` parts. */
static void consider_match(struct search *search, const struct match *match, size_t parts)
{
    size_t end = match->start + match->length - 1;
    double before = parts > 1 ? step_at(search, match->start - 1, parts - 1)->product : 1;
    double product = fmin(match->guesses * before, DBL_MAX);
    double cost =
        fmin(factorial_of(parts) * product + pow(growing_cost, (double)(parts - 1)), DBL_MAX);

    for (size_t fewer = 1; fewer <= parts; fewer++) {
        const struct step *rival = step_at(search, end, fewer);
        if (rival->cost > 0 && rival->cost <= cost)
            return;
    }
    *step_at(search, end, parts) = (struct step){ cost, product, *match };
}

/*
 * Try a match after each way to cover the characters before it. Two adjacent brute-force parts are
 * never better than one.
 */
static void consider_after(struct search *search, const struct match *match)
{
    if (match->start == 0) {
        consider_match(search, match, 1);
        return;
    }
    for (size_t parts = 1; parts < search->width - 1; parts++) {
        const struct step *before = step_at(search, match->start - 1, parts);
        bool is_same =
            match->pattern == PATTERN_BRUTEFORCE && before->last.pattern == PATTERN_BRUTEFORCE;
        if (before->cost > 0 && !is_same)
            consider_match(search, match, parts + 1);
    }
}

/* One more than the minimum for other matches, so that those are preferred. */
static double bruteforce_guesses(size_t length)
{
    return fmax(pow(10, (double)length), length == 1 ? 11 : 51);
}

static void consider_bruteforce(struct search *search, size_t end)
{
    for (size_t start = 0; start <= end; start++) {
        size_t length = end - start + 1;
        consider_after(search, &(struct match){ .pattern = PATTERN_BRUTEFORCE,
                                                .start = start,
                                                .length = length,
                                                .guesses = bruteforce_guesses(length) });
    }
}

/* The number of parts with the lowest cost for the whole phrase. */
static size_t best_parts(const struct search *search)
{
    size_t best = 0;
    double least = INFINITY;
    for (size_t parts = 1; parts < search->width; parts++) {
        const struct step *step = step_at(search, search->phrase->length - 1, parts);
        if (step->cost > 0 && step->cost < least) {
            best = parts;
            least = step->cost;
        }
    }
    return best;
}

static void take_sequence(const struct search *search, struct estimate *estimate)
{
    size_t parts = best_parts(search);
    size_t end = search->phrase->length - 1;

    estimate->guesses = step_at(search, end, parts)->cost;
    estimate->sequence.item = mem_array(parts, sizeof(*estimate->sequence.item));
    estimate->sequence.count = parts;
    estimate->sequence.capacity = parts;
    for (; parts > 0; parts--) {
        const struct match *match = &step_at(search, end, parts)->last;
        estimate->sequence.item[parts - 1] = *match;
        end = match->start - 1;
    }
}

/* ---- repeats (aaa, abcabc): here, because their unit is itself a phrase ---- */

struct repeat {
    size_t unit, length; /* length 0: none */
};

/* How far does the unit that begins at start repeat? */
static size_t repeated_length(const struct phrase *phrase, size_t start, size_t unit)
{
    size_t at = start + unit;
    while (at < phrase->length && phrase->points[at] == phrase->points[at - unit])
        at++;
    size_t length = (at - start) / unit * unit;
    return length >= 2 * unit ? length : 0;
}

/* The shortest unit of a whole repeat. */
static size_t shortest_unit(const struct phrase *phrase, size_t start, size_t length)
{
    size_t unit = 1;
    while (length % unit != 0 || repeated_length(phrase, start, unit) < length)
        unit++;
    return unit;
}

/* The repeat of the shortest unit, or of the longest one if it covers more: for aabaab that
 * is aab. */
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

/* Estimate the repeated unit as a phrase. It has at most half the length, so the recursion is
 * short. */
static double unit_guesses(const struct phrase *phrase, size_t start, size_t unit)
{
    struct phrase part = *phrase;
    scoped(estimate_free) struct estimate estimate = { 0 };
    part.points += start;
    part.length = unit;
    estimate_guesses(&part, &estimate);
    return estimate.guesses;
}

static void match_repeats(const struct phrase *phrase, struct matches *matches)
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

/* ---- the whole estimate ---- */

static void find_matches(const struct phrase *phrase, struct matches *matches)
{
    match_words(phrase, matches);
    match_keyboards(phrase, matches);
    match_repeats(phrase, matches);
    match_sequences(phrase, matches);
    match_years(phrase, matches);
    match_dates(phrase, matches);
}

static bool has_user_input(const struct matches *matches)
{
    for (size_t i = 0; i < matches->count; i++)
        if (matches->item[i].pattern == PATTERN_DICTIONARY &&
            matches->item[i].dictionary == DICTIONARY_USER_INPUTS &&
            matches->item[i].length >= USER_INPUT_LEAST)
            return true;
    return false;
}

/* By end, then start, then order found: an earlier match can exclude a later one. */
static int by_place(const void *a, const void *b, void *matches)
{
    const size_t left_index = *(const size_t *)a;
    const size_t right_index = *(const size_t *)b;
    const struct match *left = &((const struct matches *)matches)->item[left_index];
    const struct match *right = &((const struct matches *)matches)->item[right_index];
    size_t left_end = left->start + left->length;
    size_t right_end = right->start + right->length;

    if (left_end != right_end)
        return left_end < right_end ? -1 : 1;
    if (left->start != right->start)
        return left->start < right->start ? -1 : 1;
    return left_index < right_index ? -1 : 1;
}

static size_t *order_of(struct matches *matches)
{
    size_t *order = mem_array(matches->count, sizeof(*order));
    for (size_t i = 0; i < matches->count; i++)
        order[i] = i;
    qsort_r(order, matches->count, sizeof(*order), by_place, matches);
    return order;
}

static void run_search(struct search *search, struct matches *matches)
{
    scoped(mem_free) size_t *order = order_of(matches);
    size_t next = 0;
    for (size_t end = 0; end < search->phrase->length; end++) {
        for (; next < matches->count; next++) {
            const struct match *match = &matches->item[order[next]];
            if (match->start + match->length - 1 > end)
                break;
            consider_after(search, match);
        }
        consider_bruteforce(search, end);
    }
}

void estimate_guesses(const struct phrase *phrase, struct estimate *estimate)
{
    scoped(matches_free) struct matches matches = { 0 };
    assert(phrase->length <= ESTIMATE_POINTS_MAX);
    estimate->guesses = 1;
    if (phrase->length == 0)
        return;
    find_matches(phrase, &matches);
    estimate->has_user_input = has_user_input(&matches);

    scoped(search_free) struct search search = { .phrase = phrase,
                                                 .width = most_parts(phrase->length) + 1 };
    search.steps = mem_array(phrase->length * search.width, sizeof(*search.steps));
    run_search(&search, &matches);
    take_sequence(&search, estimate);
}

void estimate_free(struct estimate *estimate)
{
    matches_free(&estimate->sequence);
}
