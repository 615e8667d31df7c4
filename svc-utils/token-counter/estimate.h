/*
 * svc-utils/token-counter/estimate.h - estimates the tokens of a text without vocabularies.
 *
 * A text is split as OpenAI's o200k splits it before it looks up pieces. A token count is then a
 * sum over pieces, and the letters of a piece determine its cost: see letters.h.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "letters.h"

/* The classes with separate factors, in the order of families.def. */
enum token_class {
    TOKENS_AFTER_BLANK, /* words in ASCII letters */
    TOKENS_WORD,        /* words after a symbol or at the start */
    TOKENS_ACCENTED,
    TOKENS_HAN,
    TOKENS_KANA,
    TOKENS_HANGUL,
    TOKENS_CYRILLIC,
    TOKENS_GREEK,
    TOKENS_ARABIC,
    TOKENS_HEBREW,
    TOKENS_THAI,
    TOKENS_INDIC,
    TOKENS_OTHER,
    TOKENS_SYMBOLS, /* and white space */
    TOKENS_CLASSES
};

/* The contents of a text. */
struct token_tally {
    double tokens[LETTERS_BASES][TOKENS_CLASSES]; /* without digits */
    int64_t digits;
    int64_t digit_groups; /* of at most three digits */
    int64_t bytes;
    int64_t characters;
    int64_t words; /* runs of anything but white space */
};

struct token_family; /* one tokenizer */

/* NULL if the name is unknown. */
const struct token_family *token_family_find(const char *name);
const char *token_family_name(const struct token_family *family);

/* Count a valid UTF-8 text, which may contain NUL. */
void token_tally(struct text text, struct token_tally *tally);

/* Parts of token_tally(), for a zero tally: bytes, characters and words; all the rest, which takes
 * longer, and which only token_estimate() reads. */
void token_tally_characters(struct text text, struct token_tally *tally);
void token_tally_pieces(struct text text, struct token_tally *tally);

/* The tokens for a family: at least 1, and 0 for an empty text. */
int64_t token_estimate(const struct token_tally *tally, const struct token_family *family);
