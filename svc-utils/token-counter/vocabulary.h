/*
 * svc-utils/token-counter/vocabulary.h - a tokenizer's tokens and byte pair encoding: the exact
 * number of tokens of a text.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "pieces.h"

struct vocabulary; /* read by several threads at once */

/*
 * Read a file in the format of tiktoken: lines of Base64, a space and a rank. Every single byte
 * must be a token. Errors: ERR_INVALID_VALUE with the line.
 */
bool vocabulary_read(struct text content, enum split split, struct vocabulary **vocabulary,
                     struct err *err) must_check;

/* The same for a file of scripts/vocabulary. */
bool vocabulary_read_packed(struct text content, enum split split, struct vocabulary **vocabulary,
                            struct err *err) must_check;
void vocabulary_free(struct vocabulary **vocabulary);

/* Tokens of valid UTF-8; names of special tokens count as text. Takes n log n of the longest
 * piece. */
int64_t vocabulary_count(const struct vocabulary *vocabulary, struct text text);
