/*
 * common/base/writing/runes.h - text as code points; each has its position in the caller's text.
 *
 * Tools that rewrite text in several steps report positions in the text as sent: start and end are
 * offsets in its code points, end exclusive, and stay valid in every step.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

struct rune {
    uint32_t code;
    uint32_t start; /* position in the source */
    uint32_t end;
};

/* Zero is an empty text. */
struct runes {
    struct rune *at;
    size_t count;
    size_t capacity;
};

/* The code points of valid UTF-8; the caller releases them. */
struct runes runes_of(struct text text);
void runes_free(struct runes *runes);

/* Append a copy; `code` at the position of `origin`; an ASCII text, all at its position. */
void runes_add(struct runes *runes, struct rune rune);
void runes_add_code(struct runes *runes, uint32_t code, struct rune origin);
void runes_add_ascii(struct runes *runes, const char *ascii, struct rune origin);
void runes_add_range(struct runes *runes, const struct rune *from, size_t count);

/* Replace old, which is released, by fresh, which becomes empty. */
void runes_replace(struct runes *old, struct runes *fresh);

/* Append as UTF-8. */
void runes_print(const struct rune *from, size_t count, struct buf *out);

/* Do the first of count runes match this ASCII text, with or without case? */
bool runes_start(const struct rune *from, size_t count, const char *ascii);
bool runes_start_loose(const struct rune *from, size_t count, const char *lower_ascii);
