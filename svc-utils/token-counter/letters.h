/*
 * svc-utils/token-counter/letters.h - the average cost of a piece of text, by its letters.
 *
 * A tokenizer's vocabulary has what was frequent in its training texts, so the letters of a piece
 * predict its number of tokens. Each three letters in a row, each single letter, the Unicode block
 * and the length of the piece have a weight. The cost is the sum of the weights, and at least one
 * token. tests/check/fit-tokens.c fitted the weights to the vocabularies; letters/o200k.def and the
 * other files there contain them. Features share weights by hashing, which evens out in texts of
 * many pieces.
 */
#pragma once

#include <stddef.h>

#include "base/buf.h"

enum letters_base {
    LETTERS_O200K,
    LETTERS_CL100K,
    LETTERS_LLAMA3,
    LETTERS_QWEN,
    LETTERS_DEEPSEEK,
    LETTERS_GEMINI,
    LETTERS_MISTRAL_32K,
    LETTERS_BASES
};

enum {
    LETTERS_TRIPLES = 16384,
    LETTERS_SINGLES = 1024,
    LETTERS_BLOCKS = 512,
    LETTERS_LENGTHS = 24, /* the last one also covers all longer pieces */
    LETTERS_WEIGHTS = LETTERS_TRIPLES + LETTERS_SINGLES + LETTERS_BLOCKS + LETTERS_LENGTHS,
    LETTERS_RUN = 4,        /* a longer run of one symbol or blank costs by its length */
    LETTERS_RUN_TOKEN = 32, /* this many of them are a token */
};

/*
 * Call visit with the number of each weight that applies to a piece of valid UTF-8; some numbers
 * repeat. Returns the number of characters that cost only by their length.
 */
size_t letters_walk(struct text piece, void (*visit)(void *context, size_t weight), void *context);

/* The tokens of a piece for each base. */
void letters_tokens(struct text piece, double tokens[static LETTERS_BASES]);

/* The encoding of weights: one Base64 digit. 32 and above are positive; steps are finer near
 * zero. */
double letters_weight(int digit);
