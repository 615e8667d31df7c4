/*
 * svc-email/email-spam-check/phrases.h - find any of a thousand phrases in a text, word by word.
 *
 * A phrase is a row of elements with blanks between them:
 *
 *     act now|today       a word, or one of several alternatives
 *     refinanc*           words that begin so
 *     # #% $#|cash        a number, a percentage, an amount of money; alternatives, too
 *     ~                   any one word
 *     {3}                 up to three words
 *     card?               an element that may be missing (not the first)
 *
 * Words are small letters and digits of ASCII with apostrophes inside; what stands between words
 * does not matter, but no phrase goes over the end of a block. Time is linear in the text: a phrase
 * is looked for only where its first element is, until it has been found once, within a span that
 * its gaps bound.
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
    uint32_t start, end; /* bytes of the text that was cut */
    enum word_kind kind;
    uint16_t exact;                     /* what the phrases know it as; 0: nothing */
    uint16_t prefix[WORD_PREFIXES_MAX]; /* prefixes that it has, 0 behind the last */
};

struct words {
    struct word *at;
    size_t count;
    size_t capacity;
};

struct phrases;

struct phrases *phrases_new(void);
void phrases_free(struct phrases **phrases);

/* Add a phrase to a set, below UINT16_MAX. Errors: ERR_INVALID_VALUE when it is none. */
bool phrases_add(struct phrases *phrases, struct text phrase, uint16_t set,
                 struct err *err) must_check;

/* To be called once; then any number of threads may read. */
void phrases_finish(struct phrases *phrases);

size_t phrases_count(const struct phrases *phrases);

/* Cut a text in small letters into words that the phrases know; a blank line is a break. Release
 * them with words_free(). */
struct words words_of(const struct phrases *phrases, struct text text);
void words_free(struct words *words);

/* How many words of a text these are, as people count; text is what was cut. */
size_t words_count(const struct words *words, struct text text);

/* Call found() for each phrase where it stands first, at words first to last. */
typedef void phrase_found(uint16_t set, size_t phrase, size_t first, size_t last, void *context);
void phrases_match(const struct phrases *phrases, const struct words *words, phrase_found *found,
                   void *context);

/* Is this text, as a whole word in small letters, a phrase of a set by itself? */
bool phrases_have_word(const struct phrases *phrases, struct text word, uint16_t set);
