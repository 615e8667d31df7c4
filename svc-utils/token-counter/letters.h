/*
 * svc-utils/token-counter/letters.h - what a piece of a text costs on average, by its letters.
 *
 * A tokenizer's vocabulary is what was frequent in the texts that it learned from, so the letters
 * of a piece tell how many tokens it is: each three letters in a row, each letter, the block of
 * Unicode where it lies and the length of the piece have a weight, and the piece costs their sum,
 * but at least one token. The weights were fitted to the vocabularies themselves by
 * tests/check/fit-tokens.c and stand in letters/o200k.def and its like. So many features
 * share a weight that it is a matter of chance which ones do (hashing); with texts of many pieces
 * that evens out.
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
    LETTERS_LENGTHS = 24, /* the last one is for all longer pieces too */
    LETTERS_WEIGHTS = LETTERS_TRIPLES + LETTERS_SINGLES + LETTERS_BLOCKS + LETTERS_LENGTHS,
    LETTERS_RUN = 4,        /* of one symbol or blank more than this the rest costs by its length */
    LETTERS_RUN_TOKEN = 32, /* of them are a token */
};

/* Call visit with each weight's number that counts for a piece of valid UTF-8, some of them several
 * times. Returns how many characters cost by their length alone. */
size_t letters_walk(struct text piece, void (*visit)(void *context, size_t weight), void *context);

/* The tokens of a piece by each vocabulary. */
void letters_tokens(struct text piece, double tokens[static LETTERS_BASES]);

/* How weights are written: one digit of Base64, 32 and more for what adds, finer near nothing. */
double letters_weight(int digit);
