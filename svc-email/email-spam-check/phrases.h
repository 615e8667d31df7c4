/*
 * svc-email/email-spam-check/phrases.h - find any of a thousand phrases in a text, word by word.
 *
 * A phrase is a list of elements separated by blanks:
 *
 *     act now|today       a word, or one of several alternatives
 *     refinanc*           words with this prefix
 *     # #% $#|cash        a number, a percentage, an amount of money; also as alternatives
 *     ~                   any word
 *     {3}                 up to three words
 *     card?               an optional element (not the first)
 *
 * Words are lower-case letters of any alphabet and ASCII digits, with apostrophes inside.
 * Characters between words are ignored, but a phrase never crosses the end of a block. Time is
 * linear in the text: a phrase is tried only where its first element matches, until it is found
 * once, within a span that its gaps bound.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"

enum { PHRASE_ELEMENTS_MAX = 12, PHRASE_GAP_MAX = 8, WORD_PREFIXES_MAX = 4 };

enum word_kind {
    WORD_PLAIN,
    WORD_NUMBER,
    WORD_PERCENT,
    WORD_MONEY,
    WORD_URL,
    WORD_ADDRESS,
    WORD_BREAK
};

/* A word of a text. */
struct word {
    uint32_t start, end; /* bytes in the text */
    enum word_kind kind;
    uint16_t exact;                     /* its number; 0: unknown */
    uint16_t prefix[WORD_PREFIXES_MAX]; /* numbers of its prefixes, 0 after the last */
};

struct words {
    struct word *at;
    size_t count;
    size_t capacity;
};

struct phrases;

struct phrases *phrases_new(void);
void phrases_free(struct phrases **phrases);

/* Add a phrase to a set below UINT16_MAX. Errors: ERR_INVALID_VALUE for an invalid phrase. */
bool phrases_add(struct phrases *phrases, struct text phrase, uint16_t set,
                 struct err *err) must_check;

/* Call it once. Then any number of threads may read. */
void phrases_finish(struct phrases *phrases);

size_t phrases_count(const struct phrases *phrases);

/* Split a lower-case text into words; a blank line is a break. Release them with words_free(). */
struct words words_of(const struct phrases *phrases, struct text text);
void words_free(struct words *words);

/* The number of words as people count them; text is the text that was split. */
size_t words_count(const struct words *words, struct text text);

/* Call found() for the first match of each phrase, at words first to last. */
typedef void phrase_found(uint16_t set, size_t phrase, size_t first, size_t last, void *context);
void phrases_match(const struct phrases *phrases, const struct words *words, phrase_found *found,
                   void *context);

/* Whether this lower-case word alone is a phrase of a set. */
bool phrases_have_word(const struct phrases *phrases, struct text word, uint16_t set);
