/*
 * svc-utils/token-counter/pieces.h - the pieces into which OpenAI's tokenizers split a text before
 * they look up tokens. No token crosses the end of a piece.
 *
 * OpenAI publishes regular expressions (tiktoken, openai_public.py, November 2026), quoted in
 * pieces.c. This code implements them by hand: a backtracking matcher would take a long word of
 * uncased letters one letter at a time.
 */
#pragma once

#include <stddef.h>

#include "base/buf.h"

enum split { SPLIT_O200K, SPLIT_CL100K };

/*
 * Bytes of the first piece of a non-empty text of valid UTF-8. All pieces together are the text,
 * and splitting takes linear time.
 */
size_t piece_bytes(enum split split, struct text text);
