/*
 * common/text/passwords/lexicon.h - words by rank, and a lookup letter by letter.
 *
 * Words are sorted by bytes, so words with a common prefix are adjacent: the state of a lookup is a
 * range of words, which each letter narrows. It finds all words that begin at one position of a
 * password, and stops when no word matches.
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
    DICTIONARY_OTHER_LANGUAGES, /* ten languages, as written and as typed */
    DICTIONARY_USER_INPUTS,     /* words that the password must not contain, from the caller */
};

struct word {
    uint32_t offset; /* of its UTF-8 in the lexicon's bytes, terminated by NUL */
    uint16_t rank;   /* 1 is the most common of its dictionary */
    uint8_t dictionary;
};

struct lexicon {
    const char *bytes;
    const struct word *words; /* sorted by bytes, without duplicates */
    size_t count;
};

/* The common passwords, words and names; words.py makes them from zxcvbn/ and languages/. */
extern const struct lexicon lexicon_common;

struct walk {
    const struct lexicon *lexicon;
    size_t begin, end; /* the words that begin with the letters read */
    size_t depth;      /* bytes read */
};

struct walk walk_start(const struct lexicon *lexicon);

/* Read one more code point; false if no word continues so. */
bool walk_step(struct walk *walk, uint32_t code_point);

/* The word that ends here; NULL if not found. */
const struct word *walk_word(const struct walk *walk);
