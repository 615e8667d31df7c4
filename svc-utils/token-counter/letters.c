/* svc-utils/token-counter/letters.c - the weights and their sum. */
#include "letters.h"

#include <ctype.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/codec/base64.h"
#include "base/codec/utf8.h"

static const char weights[LETTERS_BASES][LETTERS_WEIGHTS + 1] = {
    [LETTERS_O200K] =
#include "letters/o200k.def"
        ,
    [LETTERS_CL100K] =
#include "letters/cl100k.def"
        ,
    [LETTERS_LLAMA3] =
#include "letters/llama3.def"
        ,
    [LETTERS_QWEN] =
#include "letters/qwen.def"
        ,
    [LETTERS_DEEPSEEK] =
#include "letters/deepseek.def"
        ,
    [LETTERS_GEMINI] =
#include "letters/gemini.def"
        ,
    [LETTERS_MISTRAL_32K] =
#include "letters/mistral-32k.def"
        ,
};

enum { PARTS = 400 }; /* of a token: the unit of sums, which are exact and need no division */

static int weight_parts(int digit)
{
    int level = digit - 32;
    return level < 0 ? -level * level : level * level;
}

double letters_weight(int digit)
{
    return weight_parts(digit) / (double)PARTS;
}

/* Map a 32-bit number to one below `count`. */
static size_t hash_number(uint32_t number, size_t count)
{
    return (size_t)((uint64_t)(number * 0xC2B2AE35U) * count >> 32);
}

static uint32_t triple_weight(uint32_t first, uint32_t second, uint32_t third)
{
    return (first * 0x9E3779B1U + second) * 0x85EBCA6BU + third;
}

/* Lines of dashes and indentation: vocabularies contain long runs of these. */
static bool is_drawn(uint32_t character)
{
    return character < 0x80 && !isalpha((int)character);
}

enum { END = 1 }; /* follows a piece; 0 precedes it */

size_t letters_walk(struct text piece, void (*visit)(void *context, size_t weight), void *context)
{
    uint32_t before[2] = { 0, 0 };
    size_t characters = 0;
    size_t skipped = 0;
    size_t run = 0;
    for (size_t bytes; piece.size > 0; piece.bytes += bytes, piece.size -= bytes) {
        uint32_t character = utf8_next(piece, &bytes);
        run = character == before[1] ? run + 1 : 1;
        if (run > LETTERS_RUN && is_drawn(character)) {
            skipped++;
            continue;
        }
        visit(context,
              hash_number(triple_weight(before[0], before[1], character), LETTERS_TRIPLES));
        visit(context, LETTERS_TRIPLES + hash_number(character * 0x9E3779B1U, LETTERS_SINGLES));
        visit(context, LETTERS_TRIPLES + LETTERS_SINGLES + (character >> 6) % LETTERS_BLOCKS);
        before[0] = before[1];
        before[1] = character;
        characters++;
    }
    visit(context, hash_number(triple_weight(before[0], before[1], END), LETTERS_TRIPLES));
    size_t length = characters < LETTERS_LENGTHS ? characters : LETTERS_LENGTHS;
    visit(context, LETTERS_WEIGHTS - LETTERS_LENGTHS + (length > 0 ? length - 1 : 0));
    return skipped;
}

static void add_weight(void *context, size_t weight)
{
    int64_t *parts = context;
    for (int base = 0; base < LETTERS_BASES; base++)
        parts[base] += weight_parts(base64_digit(weights[base][weight]));
}

void letters_tokens(struct text piece, double tokens[static LETTERS_BASES])
{
    int64_t sum[LETTERS_BASES] = { 0 };
    size_t skipped = letters_walk(piece, add_weight, sum);
    for (int base = 0; base < LETTERS_BASES; base++)
        tokens[base] = fmax(1, (double)sum[base] / PARTS + (double)skipped / LETTERS_RUN_TOKEN);
}
