/*
 * common/text/passwords/match.h - parts of a password that are easier to guess than their length
 * suggests, after zxcvbn 4.4.2 (Wheeler, "zxcvbn: Low-Budget Password Strength Estimation", USENIX
 * Security 2016).
 *
 * A match never contains text, but its rank reveals a word, so lists of matches are wiped.
 */
#pragma once

#include "text/passwords/lexicon.h"

enum pattern {
    PATTERN_BRUTEFORCE,
    PATTERN_DICTIONARY,
    PATTERN_SPATIAL,
    PATTERN_REPEAT,
    PATTERN_SEQUENCE,
    PATTERN_YEAR,
    PATTERN_DATE,
};

/* The analyzed code points, borrowed. */
struct phrase {
    const uint32_t *points;
    size_t length;
    const struct lexicon *user_inputs;
    int this_year;
};

struct match {
    enum pattern pattern;
    size_t start, length; /* in code points */
    double guesses;
    enum dictionary dictionary; /* for words, as rank, is_reversed, is_substituted */
    unsigned rank;
    bool is_reversed;
    bool is_substituted; /* "p4ssword" */
    unsigned turns;      /* of a keyboard pattern */
    size_t unit;         /* code points of the repeated unit */
};

/* Zero is an empty list. */
struct matches {
    struct match *item;
    size_t count;
    size_t capacity;
};

/* Add a match, with at least the minimum guesses for a part of a phrase. */
void matches_add(struct matches *matches, const struct phrase *phrase, struct match match);
void matches_free(struct matches *matches); /* wiped */

/* ---- one function per kind except repeats; each adds its matches ---- */

void match_words(const struct phrase *phrase, struct matches *matches);
void match_keyboards(const struct phrase *phrase, struct matches *matches);
void match_sequences(const struct phrase *phrase, struct matches *matches);
void match_years(const struct phrase *phrase, struct matches *matches);
void match_dates(const struct phrase *phrase, struct matches *matches);

/* ---- shared functions ---- */

/* n over k. */
double choose(size_t n, size_t k);

/*
 * Ways to have up to min(some, others) of one kind among both: guesses to find which letters are
 * uppercase, shifted or substituted.
 */
double variations(size_t some, size_t others);
