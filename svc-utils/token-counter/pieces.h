/*
 * svc-utils/token-counter/pieces.h - the pieces into which OpenAI's tokenizers cut a text before
 * they look for tokens, none of which crosses a piece's end.
 *
 * What they publish are regular expressions (tiktoken, openai_public.py, November 2026), quoted in
 * pieces.c. They are walked by hand here, because a backtracking matcher would take a long word
 * without case letter by letter.
 */
#pragma once

#include <stddef.h>

#include "base/buf.h"

enum split { SPLIT_O200K, SPLIT_CL100K };

/* Bytes of the first piece of a text of valid UTF-8 that is not empty; all pieces together are the
 * text, and cutting takes time linear in it. */
size_t piece_bytes(enum split split, struct text text);
