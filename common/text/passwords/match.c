/* common/text/passwords/match.c - lists of matches, and their shared arithmetic. */
#include "text/passwords/match.h"

#include <math.h>
#include <openssl/crypto.h>
#include <string.h>

#include "base/mem.h"
#include "base/num.h"

enum {
    LEAST_GUESSES_ONE = 10, /* of a part of one character */
    LEAST_GUESSES_MORE = 50,
};

/* Grow without realloc(), which would leave an unwiped copy. */
static void grow_list(struct matches *matches)
{
    struct matches larger = { .capacity = matches->capacity ? 2 * matches->capacity : 64,
                              .count = matches->count };
    larger.item = mem_array(larger.capacity, sizeof(*larger.item));
    if (matches->count > 0)
        memcpy(larger.item, matches->item, matches->count * sizeof(*larger.item));
    matches_free(matches);
    *matches = larger;
}

void matches_add(struct matches *matches, const struct phrase *phrase, struct match match)
{
    if (match.length < phrase->length)
        match.guesses =
            fmax(match.guesses, match.length == 1 ? LEAST_GUESSES_ONE : LEAST_GUESSES_MORE);
    if (matches->count == matches->capacity)
        grow_list(matches);
    matches->item[matches->count++] = match;
}

void matches_free(struct matches *matches)
{
    if (matches->item)
        OPENSSL_cleanse(matches->item, matches->capacity * sizeof(*matches->item));
    mem_free(&matches->item);
    *matches = (struct matches){ 0 };
}

double choose(size_t n, size_t k)
{
    double ways = 1;
    if (k > n)
        return 0;
    for (size_t i = 1; i <= k; i++, n--)
        ways = ways * (double)n / (double)i;
    return ways;
}

double variations(size_t some, size_t others)
{
    double ways = 0;
    for (size_t i = 1; i <= MIN(some, others); i++)
        ways += choose(some + others, i);
    return ways;
}
