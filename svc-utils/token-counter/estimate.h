/*
 * svc-utils/token-counter/estimate.h - how many tokens a text is, without the tokenizers'
 * vocabularies.
 *
 * A text is split as OpenAI's o200k splits it before it looks pieces up: there token counts are
 * sums over pieces, and what a piece costs is told by its letters, letters.h.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "letters.h"

/* The classes for which tokenizers differ, in the order of families.def. */
enum token_class {
    TOKENS_AFTER_BLANK, /* words in ASCII letters */
    TOKENS_WORD,        /* those after a symbol or nothing */
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

/* What a text is made of. */
struct token_tally {
    double tokens[LETTERS_BASES][TOKENS_CLASSES]; /* but for digits */
    int64_t digits;
    int64_t digit_groups; /* of at most three */
    int64_t bytes;
    int64_t characters;
    int64_t words; /* runs of anything but white space */
};

struct token_family; /* one tokenizer */

/* NULL when there is none of that name. */
const struct token_family *token_family_find(const char *name);
const char *token_family_name(const struct token_family *family);

/* Count a text of valid UTF-8, which may hold NUL. One pass. */
void token_tally(struct text text, struct token_tally *tally);

/* The tokens of a family: at least 1, but 0 for an empty text. */
int64_t token_estimate(const struct token_tally *tally, const struct token_family *family);
