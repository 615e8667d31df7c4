/*
 * common/base/text.h - a borrowed stretch of bytes, and what is asked of it and cut from it.
 *
 * Nothing is copied: a text that a function gives points into the one it was given. Bytes are
 * compared as they are, whatever the locale; where a name says any_case, capital and small letters
 * of ASCII count as equal, and no others do. A NUL in a text is a byte like all others; strings
 * (const char *) end at theirs.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/scoped.h"

/* Bytes of somebody else, which may hold NUL; not ended by one unless its maker says so. Of an
 * empty one, bytes may be NULL. */
struct text {
    const char *bytes;
    size_t size;
};

#define TEXT(literal) ((struct text){ (literal), sizeof(literal) - 1 })

struct text text_of(const char *string); /* NULL gives an empty text */

/* ---- questions ---- */

bool text_equals(struct text a, struct text b);

/* Is it this string? Does it begin with it? Is it anywhere in it? The empty string is at every
 * beginning and in every text. */
bool text_is(struct text text, const char *string);
bool text_begins(struct text text, const char *string);
bool text_has(struct text text, const char *string);

bool text_is_any_case(struct text text, const char *string);
bool text_begins_any_case(struct text text, const char *string);
bool text_has_any_case(struct text text, const char *string);
bool text_is_among(struct text text, const char *const *strings, size_t count); /* in any case */

bool text_is_digits(struct text text); /* 0 to 9, one or more, and nothing else */

/* Nothing but ASCII? Nothing but these bytes, none of which is NUL? An empty text is so. */
bool text_is_ascii(struct text text);
bool text_is_made_of(struct text text, const char *bytes);

/* ---- cutting ---- */

struct text text_trim(struct text text); /* without ascii_is_space() at both ends */

/* Without bytes of `front` at its beginning and of `back` at its end; NUL is one of them. */
struct text text_strip(struct text text, const char *front, const char *back);

/* The part before the first of these bytes, or before the first NUL; else the whole text. */
struct text text_before(struct text text, const char *bytes);

/* What is behind its first bytes, of which it has so many. */
static inline must_check struct text text_skip(struct text text, size_t bytes)
{
    return (struct text){ text.bytes + bytes, text.size - bytes };
}

/* What stands before the separator, taken off *rest with it; all that is left when there is none.
 * "a," is "a" and then nothing is left: loop while rest->size > 0. */
struct text text_cut(struct text *rest, char separator);

/* Take the first byte off *rest if it is one of these. */
bool text_take_byte(struct text *rest, const char *one_of);

/* ---- changing a string in place ---- */

/* Take the bytes that are not UTF-8 out of a string, such as what is left of a character that a
 * %.20s cut in two. */
void text_repair(char *string);
