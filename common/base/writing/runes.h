/*
 * common/base/writing/runes.h - text as code points, each knowing which part of the caller's text
 * it came from.
 *
 * Tools that rewrite text in many steps report places in the text as it was sent: start and end are
 * offsets in code points of that text, half open, and survive every step.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

struct rune {
    uint32_t code;
    uint32_t start; /* where it came from */
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

/* Append a copy; one of `code` in the place of `origin`; all of ASCII text in its place. */
void runes_add(struct runes *runes, struct rune rune);
void runes_add_code(struct runes *runes, uint32_t code, struct rune origin);
void runes_add_ascii(struct runes *runes, const char *ascii, struct rune origin);
void runes_add_range(struct runes *runes, const struct rune *from, size_t count);

/* Replace old, which is released, by fresh, which is left empty. */
void runes_replace(struct runes *old, struct runes *fresh);

/* Append as UTF-8. */
void runes_print(const struct rune *from, size_t count, struct buf *out);

/* Do count runes begin with this ASCII text, with case or without? */
bool runes_start(const struct rune *from, size_t count, const char *ascii);
bool runes_start_loose(const struct rune *from, size_t count, const char *lower_ascii);
