/* common/text/passwords/match-words.c - dictionary words: unchanged, reversed, and with look-alike
 * characters. */
#include <openssl/crypto.h>
#include <string.h>
#include <unicase.h>

#include "base/ascii.h"
#include "base/scoped.h"
#include "text/passwords/match.h"

/* Letters, and their look-alikes. */
static const struct substitution {
    char letter;
    char characters[5];
} substitutions[] = {
    { 'a', "4@" },  { 'b', "8" }, { 'c', "({[<" }, { 'e', "3" },  { 'g', "69" }, { 'i', "1!|" },
    { 'l', "1|7" }, { 'o', "0" }, { 's', "$5" },   { 't', "+7" }, { 'x', "%" },  { 'z', "2" },
};

enum { LETTERS = sizeof(substitutions) / sizeof(substitutions[0]) };

/* ---- guesses ---- */

/* Guesses to find which letters are uppercase. */
static double case_variations(const uint32_t *points, size_t length)
{
    size_t upper = 0;
    size_t lower = 0;
    for (size_t i = 0; i < length; i++) {
        upper += ascii_is_upper(points[i]);
        lower += ascii_is_lower(points[i]);
    }
    if (upper == 0)
        return 1;
    bool is_one_at_an_end = upper == 1 && length > 1 &&
                            (ascii_is_upper(points[0]) || ascii_is_upper(points[length - 1]));
    return is_one_at_an_end || lower == 0 ? 2 : variations(upper, lower);
}

static void add_word(const struct phrase *phrase, size_t start, size_t length,
                     const struct word *word, double factor, struct match match,
                     struct matches *matches)
{
    match.pattern = PATTERN_DICTIONARY;
    match.start = start;
    match.length = length;
    match.dictionary = word->dictionary;
    match.rank = word->rank;
    match.guesses = word->rank * case_variations(phrase->points + start, length) * factor;
    matches_add(matches, phrase, match);
}

/* ---- unchanged and reversed ---- */

/* step is 1, or -1 (as an unsigned number) for reversed words. */
static void match_from(const struct phrase *phrase, const struct lexicon *lexicon, size_t start,
                       bool is_reversed, struct matches *matches)
{
    struct walk walk = walk_start(lexicon);
    size_t room = is_reversed ? start + 1 : phrase->length - start;
    for (size_t length = 1; length <= room; length++) {
        size_t at = is_reversed ? start - (length - 1) : start + (length - 1);
        if (!walk_step(&walk, uc_tolower(phrase->points[at])))
            return;
        const struct word *word = walk_word(&walk);
        if (word)
            add_word(phrase, is_reversed ? at : start, length, word, is_reversed ? 2 : 1,
                     (struct match){ .is_reversed = is_reversed }, matches);
    }
}

/* ---- with substitutions ---- */

/*
 * An attacker replaces each look-alike by its letter, everywhere, and decides before which
 * character replaces which letter. So within a word, a letter has at most one look-alike. A
 * look-alike that stays unchanged must not be the only choice for a letter of the password.
 */
struct decoding {
    const struct phrase *phrase;
    struct matches *matches;
    bool is_present[128]; /* characters of the phrase */
    size_t start;
    char written[LETTERS];   /* the look-alike of the letter; 0: undecided */
    unsigned char kept[128]; /* how often the character stayed unchanged */
    unsigned char used[128]; /* how often it was replaced */
};

/* Which letters does it replace? */
static bool stands_for(const struct substitution *row, uint32_t point)
{
    return point > 0 && point < 128 && strchr(row->characters, (int)point);
}

static bool is_look_alike(uint32_t point)
{
    for (size_t i = 0; i < LETTERS; i++)
        if (stands_for(&substitutions[i], point))
            return true;
    return false;
}

/* Is there a choice for each letter that leaves the kept characters unchanged? */
static bool is_consistent(const struct decoding *decoding)
{
    for (size_t i = 0; i < LETTERS; i++) {
        bool is_usable = false;
        bool is_free = decoding->written[i] != 0;
        for (const char *at = substitutions[i].characters; *at; at++) {
            is_usable |= decoding->is_present[(unsigned char)*at];
            is_free |=
                decoding->is_present[(unsigned char)*at] && decoding->kept[(unsigned char)*at] == 0;
        }
        if (is_usable && !is_free)
            return false;
    }
    return true;
}

/* For each letter with a look-alike: which of both is it, each time? */
static double substitution_variations(const struct decoding *decoding, size_t length)
{
    const uint32_t *points = decoding->phrase->points + decoding->start;
    double ways = 1;
    for (size_t i = 0; i < LETTERS; i++) {
        unsigned char character = (unsigned char)decoding->written[i];
        size_t plain = 0;
        if (character == 0)
            continue;
        for (size_t k = 0; k < length; k++)
            plain += uc_tolower(points[k]) == (uint32_t)substitutions[i].letter;
        ways *= plain == 0 ? 2 : variations(decoding->used[character], plain);
    }
    return ways;
}

static bool has_substitution(const struct decoding *decoding)
{
    for (size_t i = 0; i < LETTERS; i++)
        if (decoding->written[i] != 0)
            return true;
    return false;
}

static void decode_on(struct decoding *decoding, struct walk walk, size_t length);

static void decode_step(struct decoding *decoding, struct walk walk, size_t length, uint32_t point)
{
    if (!walk_step(&walk, point))
        return;
    length++;
    const struct word *word = walk_word(&walk);
    if (word && length > 1 && has_substitution(decoding) && is_consistent(decoding))
        add_word(decoding->phrase, decoding->start, length, word,
                 substitution_variations(decoding, length),
                 (struct match){ .is_substituted = true }, decoding->matches);
    decode_on(decoding, walk, length);
}

/* Read the character as the letter of a row. */
static void decode_as(struct decoding *decoding, struct walk walk, size_t length, size_t row,
                      unsigned char character)
{
    char before = decoding->written[row];
    if (before != 0 && (unsigned char)before != character)
        return;
    for (size_t i = 0; i < LETTERS; i++)
        if (i != row && (unsigned char)decoding->written[i] == character)
            return;
    decoding->written[row] = (char)character;
    decoding->used[character]++;
    decode_step(decoding, walk, length, (uint32_t)substitutions[row].letter);
    decoding->used[character]--;
    decoding->written[row] = before;
}

/*
 * Continue with each reading of the next character. The recursion is bounded by the words: its
 * depth is the length of the longest, and each of their prefixes is reached at most once.
 */
static void decode_on(struct decoding *decoding, struct walk walk, size_t length)
{
    const struct phrase *phrase = decoding->phrase;
    if (decoding->start + length == phrase->length)
        return;
    uint32_t point = phrase->points[decoding->start + length];
    if (!is_look_alike(point)) {
        decode_step(decoding, walk, length, uc_tolower(point));
        return;
    }
    if (decoding->used[point] == 0) {
        decoding->kept[point]++;
        decode_step(decoding, walk, length, point);
        decoding->kept[point]--;
    }
    for (size_t row = 0; row < LETTERS && decoding->kept[point] == 0; row++)
        if (stands_for(&substitutions[row], point))
            decode_as(decoding, walk, length, row, (unsigned char)point);
}

static void match_substituted(const struct phrase *phrase, const struct lexicon *lexicon,
                              struct matches *matches)
{
    struct decoding decoding = { .phrase = phrase, .matches = matches };
    bool has_any = false;
    for (size_t i = 0; i < phrase->length; i++) {
        if (phrase->points[i] < 128)
            decoding.is_present[phrase->points[i]] = true;
        has_any |= is_look_alike(phrase->points[i]);
    }
    for (; has_any && decoding.start < phrase->length; decoding.start++)
        decode_on(&decoding, walk_start(lexicon), 0);
    OPENSSL_cleanse(&decoding, sizeof(decoding));
}

void match_words(const struct phrase *phrase, struct matches *matches)
{
    const struct lexicon *const lexicons[] = { &lexicon_common, phrase->user_inputs };
    for (size_t i = 0; i < countof(lexicons); i++) {
        for (size_t start = 0; start < phrase->length; start++) {
            match_from(phrase, lexicons[i], start, false, matches);
            match_from(phrase, lexicons[i], start, true, matches);
        }
        match_substituted(phrase, lexicons[i], matches);
    }
}
