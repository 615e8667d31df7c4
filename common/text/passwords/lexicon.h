/*
 * common/text/passwords/lexicon.h - words by rank, and a walk through them letter by letter.
 *
 * The words are sorted by their bytes, so those with a common beginning stand side by side: a walk
 * is a range of words that each letter narrows. That finds all words that begin at one place of a
 * password in one go, and gives up as soon as no word begins so.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum dictionary {
    DICTIONARY_PASSWORDS,
    DICTIONARY_ENGLISH,
    DICTIONARY_FEMALE_NAMES,
    DICTIONARY_SURNAMES,
    DICTIONARY_TV_AND_FILM,
    DICTIONARY_MALE_NAMES,
    DICTIONARY_OTHER_LANGUAGES, /* ten of them, as they are written and as they are typed */
    DICTIONARY_USER_INPUTS,     /* what the caller says the password must not hold */
};

struct word {
    uint32_t offset; /* of its UTF-8 in the lexicon's bytes, ended by NUL */
    uint16_t rank;   /* 1 is the most common of its dictionary */
    uint8_t dictionary;
};

struct lexicon {
    const char *bytes;
    const struct word *words; /* sorted by their bytes; each stands there once */
    size_t count;
};

/* The common passwords, words and names; made from Debian's python3-zxcvbn and languages/ by
 * words.py. */
extern const struct lexicon lexicon_common;

struct walk {
    const struct lexicon *lexicon;
    size_t begin, end; /* the words that begin with what was walked */
    size_t depth;      /* bytes walked */
};

struct walk walk_start(const struct lexicon *lexicon);

/* Go on by one code point; false when no word goes on so. */
bool walk_step(struct walk *walk, uint32_t code_point);

/* The word that ends here; NULL when none does. */
const struct word *walk_word(const struct walk *walk);
