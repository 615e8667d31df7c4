/*
 * common/text/passwords/match.h - parts of a password that are easier to guess than their
 * length says, after zxcvbn 4.4.2 (Wheeler, "zxcvbn: Low-Budget Password Strength Estimation",
 * USENIX Security 2016).
 *
 * A match never holds text, but its rank tells a word: lists of matches are wiped.
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

/* What is analysed: code points, borrowed. */
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
    enum dictionary dictionary; /* and rank, is_reversed, is_substituted: of words */
    unsigned rank;
    bool is_reversed;
    bool is_substituted; /* "p4ssword" */
    unsigned turns;      /* of a keyboard pattern */
    size_t unit;         /* code points of what a repeat repeats */
};

/* Zero is an empty list. */
struct matches {
    struct match *item;
    size_t count;
    size_t capacity;
};

/* Add a match, with no fewer guesses than a part of a phrase takes at least. */
void matches_add(struct matches *matches, const struct phrase *phrase, struct match match);
void matches_free(struct matches *matches); /* wiped */

/* ---- one for each kind but repeats; each adds what it finds ---- */

void match_words(const struct phrase *phrase, struct matches *matches);
void match_keyboards(const struct phrase *phrase, struct matches *matches);
void match_sequences(const struct phrase *phrase, struct matches *matches);
void match_years(const struct phrase *phrase, struct matches *matches);
void match_dates(const struct phrase *phrase, struct matches *matches);

/* ---- what several of them need ---- */

/* n over k. */
double choose(size_t n, size_t k);

/* The ways to have up to min(some, others) of one kind among both: the guesses it takes to find
 * out which letters are capital, shifted or substituted. */
double variations(size_t some, size_t others);
